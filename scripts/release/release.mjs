/**
 * `npm run release [-- TAG | PART…]`: makes in `dist/` what people install: `service` and `sdk` (npm packages), `debian` and `image` (a
 * package and a container image for this machine's processor), `chart` (for Helm); all of them if none is named, and then also a list of
 * what is in them (`sbom.cdx.json`), checksums, and the changelog's part about this version. What is packed is started once before it is
 * kept. With a tag, such as v0.2.0, they are made from a clone of that, not from the files as they are.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { readJson, root } from '../install.mjs';
import { canPackDebian, packDebian } from './debian.mjs';
import { missingForImage, packImage } from './image.mjs';
import { npm, npmPack } from './npm.ts';
import { manifestOf, writePackage } from './package.mjs';
import { packSdk } from './sdk.ts';

const parts = ['service', 'sdk', 'debian', 'image', 'chart'];

/** Starts the service of a package, asks it for a page of each part, and waits until it has kept what it compiled. */
async function tryOut(contents, folder) {
  const data = mkdtempSync(join(folder, 'data-'));
  const program = join(contents, 'server', 'bin', 'pharos.mjs');
  const child = spawn(process.execPath, [program, '--port', '0'], {
    env: { PATH: process.env.PATH, PHAROS_DATA: data },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const gone = once(child, 'exit');
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const [, address] = /^Pharos .* listens on (http:\S+)/.exec(line) ?? [];
      if (address === undefined) continue;
      for (const path of ['/readyz', '/console/', '/handbook/operations', '/docs']) {
        const { status } = await fetch(new URL(path, address));
        if (status !== 200) throw new Error(`The packed service answers ${path} with ${status}.`);
      }
      // What is loaded last is kept last.
      while (globSync('program/compile/app-*', { cwd: contents }).length === 0) await delay(100);
      return;
    }
    throw new Error('The packed service does not start.');
  } finally {
    child.kill();
    await gone;
  }
}

/** The changelog's part about this version; before it is given its number it is called Unreleased. */
function notesOf(version) {
  const [, ...sections] = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${version} `)) ?? sections[0];
  return `# Pharos ${section.trim()}\n`;
}

async function release(wanted, target) {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-release-'));
  try {
    const { packages } = readJson(join(root, 'package-lock.json'));
    const manifest = manifestOf(packages);
    const contents = join(folder, 'pharos');
    if (wanted.length === parts.length) rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    const has = (...names) => names.some((name) => wanted.includes(name));
    if (has('service', 'debian', 'image')) {
      await writePackage(contents, manifest);
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
      await tryOut(contents, folder);
    }
    if (has('sdk')) tell(await packSdk(target));
    if (has('debian', 'image')) {
      write(
        target,
        'sbom.cdx.json',
        npm(['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only'], root),
      );
      packForDebian({ contents, manifest, packages, target }, has('image'));
    }
    // Any Node may run the npm package, and what is compiled belongs to one.
    rmSync(join(contents, 'program', 'compile'), { recursive: true, force: true });
    if (has('service')) tell(join(target, npmPack(contents, target)));
    if (has('chart')) {
      const file = join(target, `pharos-chart-${manifest.version}.tgz`);
      execFileSync('tar', ['-czf', file, '-C', join(root, 'deploy', 'chart'), 'pharos']);
      tell(file);
    }
    if (wanted.length < parts.length) return;
    copyFileSync(join(root, 'deploy', 'compose.yaml'), join(target, 'compose.yaml'));
    write(target, 'NOTES.md', notesOf(manifest.version));
    const files = readdirSync(target).filter((name) => name !== 'SHA256SUMS');
    const lines = files.sort().map((name) => `${sha256(join(target, name))}  ${name}\n`);
    write(target, 'SHA256SUMS', lines.join(''));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function packForDebian(what, hasImage) {
  if (!canPackDebian())
    return void process.stderr.write('No Debian package and no image: dpkg-deb is not installed.\n');
  const deb = packDebian(what);
  tell(deb);
  const missing = missingForImage();
  if (hasImage && missing) process.stderr.write(`No image: ${missing} is not installed.\n`);
  else if (hasImage) tell(packImage({ deb, version: what.manifest.version, target: what.target }));
}

/** Makes all of it from a clone of the tag, with the packages that its lock file names. */
function releaseTag(tag, target) {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-tag-'));
  try {
    const from = ['--quiet', '--depth=1', '--branch', tag, `file://${root}`];
    execFileSync('git', ['-c', 'advice.detachedHead=false', 'clone', ...from, folder], { stdio: ['ignore', 2, 2] });
    const { version } = readJson(join(folder, 'package.json'));
    if (tag !== `v${version}`) throw new Error(`The tag ${tag} has version ${version} in its package.json.`);
    npm(['ci', '--no-audit', '--no-fund'], folder);
    npm(['run', 'release'], folder);
    rmSync(target, { recursive: true, force: true });
    cpSync(join(folder, 'dist'), target, { recursive: true });
    tell(target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const tell = (path) => process.stdout.write(`${path}\n`);
const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

function write(target, name, text) {
  writeFileSync(join(target, name), text);
  tell(join(target, name));
}

const words = process.argv.slice(2);
const unknown = words.find((word) => !parts.includes(word));
const isTag = ([word]) =>
  execFileSync('git', ['tag', '--list', '--', word], { cwd: root, encoding: 'utf8' }).trim() === word;
if (words.length === 1 && unknown && isTag(words)) releaseTag(unknown, join(root, 'dist'));
else if (unknown === undefined) await release(words.length === 0 ? parts : words, join(root, 'dist'));
else {
  process.stderr.write(`${unknown} is no tag, and no part: ${parts.join(', ')}.\n`);
  process.exitCode = 2;
}
