/**
 * `npm test`: installs what is missing, makes sure there is a browser, and runs every test file. `npm test -- PATH…` runs
 * files and folders, `-t NAME` the tests whose name matches; other flags go to Node's test runner. One PostgreSQL for all
 * tests starts when the first of them asks for it. The last line is `N passed, N failed`, with `, N skipped` behind it
 * when something could not run.
 */
import { spawn } from 'node:child_process';
import { readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureInstalled, pinnedNode, root, withPinnedNode } from './install.mjs';

const everything = ['server/**/*.test.ts', 'sdk/**/*.test.ts', 'console/**/*.test.ts', 'scripts/**/*.test.mjs'];
const environment = {
  ...withPinnedNode(process.env),
  // Each file is a process of its own, and all of them load the same modules: compiled once, they begin sooner.
  NODE_COMPILE_CACHE: join(root, '.cache', 'compile'),
};

try {
  ensureInstalled();
  // From here on everything may use the pinned Node and node_modules.
  process.exitCode =
    // A linked `node_modules` gives one program two paths.
    process.execPath === realpathSync(pinnedNode)
      ? await testAll(process.argv.slice(2))
      : await run([fileURLToPath(import.meta.url), ...process.argv.slice(2)]);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
// Not left to the end of the process: the code that stops the embedded PostgreSQL would turn it into a success.
process.exit();

/** Runs a program on the pinned Node and returns its exit code. */
function run(args, extra = {}) {
  const child = spawn(pinnedNode, args, { cwd: root, stdio: 'inherit', env: { ...environment, ...extra } });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}

async function testAll(words) {
  const { bundleLibraries } = await import('./bundle-libraries.mjs');
  await bundleLibraries();
  const { keepFilesInMemory } = await import('./test/folder.mjs');
  const places = keepFilesInMemory();
  const { startOnDemand } = await import('./test/postgres.mjs');
  const { groupFiles } = await import('./test/groups.mjs');
  const { asked, flags, name } = readWords(words);
  const files = await findFiles(asked);
  const { tools, skipped } = await findTools(files);
  const runnable = files.filter((file) => !(file in skipped));
  // They start what is shipped.
  if (runnable.some(startsService)) await (await import('./program/bundle.mjs')).bundleProgram();
  if (runnable.length === 0) {
    const { summary } = await import('./test/reporter.mjs');
    process.stdout.write(summary({ passed: 0, failed: 0, skipped: 0 }, skipped));
    return 1;
  }
  const reporter = join(root, 'scripts', 'test', 'reporter.mjs');
  const script = (...path) => pathToFileURL(join(root, 'scripts', ...path)).href;
  const own = [
    '--test',
    `--import=${script('bundled-libraries.mjs')}`,
    `--import=${script('test', 'light-tracking.mjs')}`,
    // The processors are busy with other files; threads that collect garbage beside a file's own cost more than they give.
    '--single-threaded-gc',
    // Files wait for browsers, databases and programs; with a third one, two processors still have something to do.
    '--test-concurrency=3',
    '--test-timeout=300000',
    `--test-reporter=${reporter}`,
  ];
  // Of this run alone: tests of this command run it, too.
  const groups = join(root, '.cache', 'test-groups', String(process.pid));
  const postgres = await startOnDemand();
  try {
    const code = await run([...own, ...flags, ...groupFiles(runnable, groups)], {
      ...tools,
      ...places,
      PHAROS_TEST_POSTGRES: postgres.address,
      PHAROS_TEST_CONSOLE: tools.PHAROS_TEST_BROWSER ? await buildConsoleOnce() : '',
      PHAROS_TEST_SKIPPED: JSON.stringify(skipped),
      PHAROS_TEST_NAME: name ?? '',
    });
    // A file that was named is meant to run.
    return asked.length > 0 && Object.keys(skipped).length > 0 ? 1 : code;
  } finally {
    rmSync(groups, { recursive: true, force: true });
    await postgres.stop();
  }
}

/** As a process of its own. */
function startsService(file) {
  return file.includes('/e2e/') || readFileSync(resolve(root, file), 'utf8').includes("/e2e/service.ts'");
}

/** Says that the console is built, so that the files need not look; one that cannot be built is told by each of them. */
async function buildConsoleOnce() {
  const { buildConsole } = await import('./build-console.mjs');
  try {
    buildConsole();
    return 'built';
  } catch {
    return '';
  }
}

/** Paths, and flags for Node's test runner; `-t NAME` is short for one of them. */
function readWords(words) {
  const asked = [];
  const flags = [];
  let name;
  for (let place = 0; place < words.length; place++) {
    const word = words[place];
    if (word === '-t') {
      name = words[++place];
      if (name === undefined) throw new Error('-t needs the name of a test, or a part of it.');
      flags.push(`--test-name-pattern=${name}`);
    } else (word.startsWith('-') ? flags : asked).push(word);
  }
  return { asked, flags, name };
}

/** The named test files, or all of them; paths are relative to the checkout. */
async function findFiles(asked) {
  // Only the pinned Node has it.
  const { globSync } = await import('node:fs');
  const find = (patterns) => globSync(patterns, { cwd: root, exclude: ['**/node_modules/**'] });
  if (asked.length === 0) return find(everything).sort();
  return asked.flatMap((path) => {
    const isFolder = statSync(resolve(root, path), { throwIfNoEntry: false })?.isDirectory();
    const found = find(isFolder ? `${path.replace(/\/$/, '')}/**/*.test.{ts,mjs}` : path).sort();
    if (found.length === 0) throw new Error(`There is no test file ${path}.`);
    return found;
  });
}

/**
 * The browser and the broker, for the files that need them: those that import the helper that starts one. Returns them
 * as environment variables, and the files that have to be skipped, each with the reason.
 */
async function findTools(files) {
  const importers = (helper) =>
    files.filter((file) => readFileSync(resolve(root, file), 'utf8').includes(`/${helper}'`));
  const tools = { PHAROS_TEST_BROWSER: '', PHAROS_TEST_MOSQUITTO: '', PHAROS_TEST_NATS: '' };
  const skipped = {};
  const inBrowser = importers('browser.ts');
  if (inBrowser.length > 0) {
    const { ensureBrowser } = await import('./test/browser.mjs');
    const browser = ensureBrowser();
    if (browser) tools.PHAROS_TEST_BROWSER = browser;
    else
      for (const file of inBrowser) skipped[file] = 'it needs Chromium; install it, or name one in PHAROS_TEST_BROWSER';
  }
  if (importers('mosquitto.ts').length > 0) {
    const { ensureMosquitto } = await import('./test/mosquitto.mjs');
    tools.PHAROS_TEST_MOSQUITTO = ensureMosquitto() ?? '';
  }
  if (importers('nats.ts').length > 0) {
    const { ensureNats } = await import('./test/nats.mjs');
    tools.PHAROS_TEST_NATS = ensureNats() ?? '';
  }
  return { tools, skipped };
}
