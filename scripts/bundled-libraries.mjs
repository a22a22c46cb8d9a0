/**
 * TypeBox consists of 680 small modules, and to find and read them is a fifth of a start. `bundle-libraries.mjs`
 * makes one file of them; importing this module makes `import … from 'typebox'` load that file. Where it has not been
 * made, or was made from another version, the package itself is loaded and nothing else changes.
 */
import { accessSync, constants } from 'node:fs';
import nodeModule from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundledLibraries, bundleFolder } from './bundle-libraries.mjs';

function useBundles() {
  // Node has it from 22.15 on.
  if (nodeModule.registerHooks === undefined) return;
  const folder = bundleFolder();
  const files = Object.entries(bundledLibraries).map(([name, file]) => [name, join(folder, `${file}.js`)]);
  // There are none yet, or this user may not read them.
  if (!files.every(([, file]) => isReadable(file))) return;
  const urls = new Map(files.map(([name, file]) => [name, pathToFileURL(file).href]));
  nodeModule.registerHooks({
    resolve(specifier, context, next) {
      const url = urls.get(specifier);
      return url === undefined ? next(specifier, context) : { url, format: 'module', shortCircuit: true };
    },
  });
}

function isReadable(file) {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

useBundles();
