/**
 * The npm package of the service, with the bundled program, the console and the handbook: it needs no checkout. Files are where they are in
 * the checkout, so the program finds them in the same way.
 */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildConsole } from '../build-console.mjs';
import { readJson, root } from '../install.mjs';
import { writeBundle } from '../program/bundle.mjs';

/** Packages with binaries or data of their own; all others become part of the program. */
const external = ['@node-rs/argon2', '@node-rs/bcrypt', 'better-sqlite3', 'dejavu-fonts-ttf', 'pdfkit'];

/** What the program reads while it runs. */
const files = [
  'LICENSE',
  'README.md',
  'console/dist',
  'console/src/lib/words/catalogues',
  'docs',
  'server/bin',
  'server/migrations',
  'server/src/demo/files',
  'server/src/http/handbook/style.css',
  'server/src/mail/words/catalogues',
];

/** The package's own package.json; `packages` are those of the lock file. */
export function manifestOf(packages) {
  const { version, description, license } = readJson(join(root, 'package.json'));
  return {
    name: 'pharos',
    version,
    description,
    license,
    type: 'module',
    bin: { pharos: 'server/bin/pharos.mjs' },
    engines: { node: '>=22.15' },
    dependencies: Object.fromEntries(external.map((name) => [name, packages[`node_modules/${name}`].version])),
  };
}

export async function writePackage(folder, manifest) {
  buildConsole();
  for (const path of files)
    cpSync(join(root, path), join(folder, path), { recursive: true, filter: (file) => !/\.test\.\w+$/.test(file) });
  await writeBundle(join(folder, 'program'), { place: join(root, 'program'), external });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
