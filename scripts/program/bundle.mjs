/**
 * Bundles the program, if that has not been done for the present sources; see `find.mjs`. `npm start` and `npm test` do it; nothing is
 * downloaded. Without a bundle the program runs from its sources, as it does for whoever works on it.
 */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../install.mjs';
import { bundleFolders, bundles, findProgram, folderOf, inputsFile, readInput } from './find.mjs';

const sources = join(root, 'server', 'src');
const modules = `${sep}node_modules${sep}`;

/** Packages that read files of their own, and large ones that are loaded when somebody uses what they are for. */
const asInstalled = [
  '@aws-sdk/client-s3',
  '@aws-sdk/s3-request-presigner',
  '@nats-io/transport-node',
  '@node-rs/argon2',
  '@node-rs/bcrypt',
  'better-sqlite3',
  'dejavu-fonts-ttf',
  'mqtt',
  'nodemailer',
  'pdfkit',
];

/** A running service may still load parts of the bundle that it was started from. */
const maxKept = 3;

/**
 * `import.meta.url` stays that of the source, beside which the files are that the program reads; threads are bundled, too. `place` is the
 * folder from which the bundle will be run.
 */
const ownUrls = (place) => ({
  name: 'own-urls',
  transform(code, id) {
    if (!id.startsWith(sources)) return undefined;
    const bundled = code.replaceAll(
      /new URL\('\.\/([\w-]+-thread)\.ts', import\.meta\.url\)/g,
      (_, name) => `new URL('./${name}.cjs', import.meta.own)`,
    );
    if (/\bnew Worker\((?!new URL\('\.\/[\w-]+\.cjs', import\.meta\.own\))/.test(bundled))
      throw new Error(
        `${id} starts a thread that is not bundled: new Worker(new URL('./NAME-thread.ts', import.meta.url))`,
      );
    const path = relative(place, id).replaceAll(sep, '/');
    const changed = bundled
      .replaceAll('import.meta.url', `new URL(${JSON.stringify(path)}, import.meta.url).href`)
      .replaceAll('import.meta.own', 'import.meta.url');
    return changed === code ? undefined : { code: changed, map: null };
  },
});

/** Each is an entry of its own, with its stack traces. */
function entries() {
  const threads = readdirSync(sources, { recursive: true }).filter((path) => path.endsWith('-thread.ts'));
  const all = ['main.ts', ...threads].map((path) => join(sources, path));
  return Object.fromEntries(all.map((path) => [path.slice(path.lastIndexOf(sep) + 1, -'.ts'.length), path]));
}

const withStacks = (entry) => ({
  name: 'with-stacks',
  resolveId: (source) => (source.startsWith('\0entry ') ? source : undefined),
  load(id) {
    if (!id.startsWith('\0entry ')) return undefined;
    const paths = [join(root, 'scripts', 'program', 'stacks.mjs'), entry[id.slice('\0entry '.length)]];
    return paths.map((path) => `import ${JSON.stringify(path)};`).join('\n');
  },
});

/**
 * Returns what it is made of, with the contents that went into it: a file may change in the meantime. `place` is the folder from which it
 * will be run, as deep in the checkout as in what is shipped; imports of the packages `external` stay imports.
 */
export async function writeBundle(folder, { place = join(bundles, 'any'), external = asInstalled } = {}) {
  const { rolldown } = await import('rolldown');
  const inputs = new Map(['package-lock.json', 'scripts/program/bundle.mjs'].map((path) => [path, readInput(path)]));
  const noteInputs = {
    name: 'note-inputs',
    transform(code, id) {
      if (id.startsWith('\0') || id.includes(modules)) return;
      if (!id.startsWith(root))
        throw new Error(`${id} is not in this checkout, so a change of it would not be noticed.`);
      inputs.set(relative(root, id).replaceAll(sep, '/'), code);
    },
  };
  const entry = entries();
  const bundle = await rolldown({
    input: Object.fromEntries(Object.keys(entry).map((name) => [name, `\0entry ${name}`])),
    platform: 'node',
    tsconfig: false,
    external,
    logLevel: 'silent',
    plugins: [noteInputs, withStacks(entry), ownUrls(place)],
  });
  await bundle.write({
    dir: folder,
    // V8 can keep all that it has compiled of a script, and not of a module (`server/bin/compiled.mjs`); `import()` is for modules.
    format: 'cjs',
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    // V8 keeps a file with one wide character in twice the memory, and takes longer to read it.
    charset: 'ascii',
    // Only the space goes: stack traces keep their names.
    minify: { compress: false, mangle: false },
    sourcemap: true,
    sourcemapExcludeSources: true,
    sourcemapPathTransform: (path, map) => relative(place, resolve(dirname(map), path)).replaceAll(sep, '/'),
  });
  await bundle.close();
  return inputs;
}

/** Returns whether there is a bundle now: a start does not fail for the want of it. */
export async function bundleProgram() {
  if (findProgram() !== undefined) return true;
  const making = join(root, '.cache', 'making');
  let made;
  try {
    for (const folder of [making, bundles]) mkdirSync(folder, { recursive: true });
    made = mkdtempSync(join(making, 'bundle-'));
    const inputs = await writeBundle(made);
    const paths = [...inputs.keys()].sort();
    writeFileSync(join(made, inputsFile), JSON.stringify(paths));
    // Temporary folders are for their owner only, and the service may run as another user than the one that has installed it.
    chmodSync(made, 0o777 & ~process.umask());
    const folder = folderOf(paths, (path) => inputs.get(path));
    // Complete from the moment it is there, also if two starts do this at once.
    renameSync(made, folder);
    forgetOthers(folder);
    return true;
  } catch (error) {
    if (made) rmSync(made, { recursive: true, force: true });
    if (findProgram() !== undefined) return true;
    process.stderr.write(`The program is not bundled, and starts more slowly: ${error.message}\n`);
    return false;
  }
}

function forgetOthers(folder) {
  const others = bundleFolders().filter((one) => one !== folder);
  for (const one of others.slice(maxKept - 1)) rmSync(one, { recursive: true, force: true });
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  process.exitCode = (await bundleProgram()) ? 0 : 1;
