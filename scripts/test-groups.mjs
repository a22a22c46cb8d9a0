/**
 * Test files that share a process. Most of what a file costs is the start: it loads the service's modules, and runs them before
 * they are compiled. Ten files of the
 * service's in one process need half the processor time of ten processes, ten of the console's two thirds.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './install.mjs';

const filesInGroup = 10;

/** Fewer run one by one, so that whoever works on a test sees it as it is alone. */
const fewestForGroups = 10;

/** Files that start programs of their own, kill them, or measure the process that they run in. */
const alone = [/^server\/test\/e2e\//, /^scripts\//, /^sdk\/test\//];

/**
 * What the runner is given: the files that run alone, then those of the groups, each of which is a file in `folder` that
 * imports its members one after the other. Hooks of a file hold for its own tests, and have ended before the next begins.
 */
export function groupFiles(files, folder) {
  if (files.length < fewestForGroups) return files;
  const isAlone = (file) => alone.some((pattern) => pattern.test(file));
  const shared = files.filter((file) => !isAlone(file));
  mkdirSync(folder, { recursive: true });
  // A file at a time into each: neighbours are of one kind, and the slow ones would come together.
  const count = Math.ceil(shared.length / filesInGroup);
  const groups = Array.from({ length: count }, (_, place) => shared.filter((_file, index) => index % count === place));
  const written = groups.map((members, place) => {
    const path = join(folder, `${place + 1}.test.mjs`);
    writeFileSync(path, groupOf(members));
    return path;
  });
  return [...files.filter(isAlone), ...written];
}

function groupOf(members) {
  const suites = members.map((file) => {
    const url = pathToFileURL(resolve(root, file)).href;
    return `await describe(${JSON.stringify(file)}, async () => void (await import(${JSON.stringify(url)})));`;
  });
  return [
    "import { describe } from 'node:test';",
    // Some tests wait for timers that keep no process alive.
    'const awake = setInterval(() => {}, 60_000);',
    ...suites,
    'clearInterval(awake);',
    '',
  ].join('\n');
}
