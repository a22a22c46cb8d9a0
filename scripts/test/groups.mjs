/**
 * Test files that share a process, and the order in which processes start. Most of what a file costs is the start: it loads the
 * service's modules, and runs them before they are compiled. Ten files of the service's in one process need half the processor
 * time of ten processes, ten of the console's two thirds.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../install.mjs';

const filesInGroup = 20;

/** A process that has not ended so long after its last test is ended, and counts as failed. */
const mostMsToEnd = 60_000;

/** Fewer run one by one, so that whoever works on a test sees it as it is alone. */
const fewestForGroups = 10;

/** Files that start programs of their own, kill them, or measure the process that they run in. */
const alone = [/^server\/test\/e2e\//, /^scripts\//, /^sdk\/test\//];

/**
 * How long a thousand lines take, in seconds, by what is in the file or its path; the first that fits counts. Only the order depends
 * on it, so that it may be off by a factor of two.
 */
const secondsForLines = [
  [/^server\/test\/e2e\//, 250],
  [/\.property\.test\.ts$/, 140],
  [/\/browser\.ts'/, 70],
  [/^(scripts|sdk)\//, 60],
  [/\/(sightings|analytics|live)\//, 40],
  [/\bdatabases\b|'postgres'/, 25],
  [/^/, 15],
];

/**
 * What the runner is given: a file in `folder` for each process, which imports its members one after the other. Hooks of a member
 * hold for its own tests, and have ended before the next begins. The runner takes them by their names.
 */
export function groupFiles(files, folder) {
  if (files.length < fewestForGroups) return files;
  const isAlone = (file) => alone.some((pattern) => pattern.test(file));
  const single = files.filter(isAlone).map((file) => ({ members: [file], seconds: secondsOf(file) }));
  const shared = balance(files.filter((file) => !isAlone(file)));
  mkdirSync(folder, { recursive: true });
  return inOrder(single, shared).map((members, place) => {
    const path = join(folder, `${String(place + 1).padStart(3, '0')}.test.mjs`);
    writeFileSync(path, groupOf(members));
    return path;
  });
}

/** An estimate. */
function secondsOf(file) {
  const text = readFileSync(resolve(root, file), 'utf8');
  const [, seconds] = secondsForLines.find(([pattern]) => pattern.test(file) || pattern.test(text));
  return (text.split('\n').length * seconds) / 1000;
}

/** Groups that take about as long as one another: each file, the longest first, comes to those that have least to do so far. */
function balance(files) {
  const groups = Array.from({ length: Math.ceil(files.length / filesInGroup) }, () => ({ members: [], seconds: 0 }));
  const longestFirst = files.map((file) => ({ file, seconds: secondsOf(file) })).sort((a, b) => b.seconds - a.seconds);
  for (const { file, seconds } of longestFirst) {
    const least = groups.reduce((found, group) => (group.seconds < found.seconds ? group : found));
    least.members.push(file);
    least.seconds += seconds;
  }
  return groups.map(({ members, seconds }) => ({ members: members.sort(), seconds }));
}

/**
 * Files that run alone often wait, for programs that start and stop, while those that share a process compute: they run side
 * by side. The groups begin early, since one that begins late would be the last to end, with nothing left to run beside it.
 */
function inOrder(single, shared) {
  const spread = (items, until) =>
    items
      .sort((a, b) => b.seconds - a.seconds)
      .map(({ members }, place) => ({ members, at: ((place + 0.5) / items.length) * until }));
  return [...spread(single, 1), ...spread(shared, 0.45)].sort((a, b) => a.at - b.at).map(({ members }) => members);
}

function groupOf(members) {
  const suites = members.map((file) => {
    const url = pathToFileURL(resolve(root, file)).href;
    return `await describe(${JSON.stringify(file)}, async () => void (await import(${JSON.stringify(url)})));`;
  });
  return [
    "import { subscribe } from 'node:diagnostics_channel';",
    "import { describe } from 'node:test';",
    // Some tests wait for timers that keep no process alive.
    'const awake = setInterval(() => {}, 60_000);',
    // What a member starts for those behind it too, such as a browser, is published here, with a function that ends it.
    'const kept = [];',
    "subscribe('pharos:test:kept', (end) => kept.push(end));",
    ...suites,
    'await Promise.all(kept.map((end) => end()));',
    'clearInterval(awake);',
    // What a failed test has left open must not keep the whole run waiting.
    "const tell = () => process.stderr.write('Still open: ' + process.getActiveResourcesInfo().join() + '\\n');",
    `setTimeout(() => void tell() || process.exit(1), ${mostMsToEnd}).unref();`,
    '',
  ].join('\n');
}
