import { cpSync, existsSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Copies packages with all that they depend on, as they are installed here for this platform, into `target/node_modules`.
 *
 * @param packages `packages` of the lock file
 */
export function copyInstalled(names, { root, packages, target }) {
  const paths = new Set();
  const visit = (name, from) => {
    const path = whereIs(name, from, packages);
    // One for another platform is not installed.
    if (path === undefined || paths.has(path) || !existsSync(join(root, path))) return;
    paths.add(path);
    const { dependencies = {}, optionalDependencies = {} } = packages[path];
    for (const other of Object.keys({ ...dependencies, ...optionalDependencies })) visit(other, path);
  };
  for (const name of names) visit(name, '');
  for (const path of paths)
    cpSync(join(root, path), join(target, path), {
      recursive: true,
      filter: (file) => basename(file) !== 'node_modules',
    });
}

/** As Node looks for it: beside the package that asks, then further up. */
function whereIs(name, from, packages) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === '') return undefined;
  }
}
