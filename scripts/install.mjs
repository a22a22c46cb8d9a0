/**
 * Installs what the lock file names, if it is not installed yet. Runs on any Node from 18 on and uses only Node itself,
 * because every other command on a fresh clone starts with it.
 *
 * No package's install script runs (`.npmrc`): they are not needed, npm versions differ in which they run, and npm
 * compiles a package that has a `binding.gyp` even if its binaries are in the package.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { explainNpmFailure } from './npm-failure.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));

const lock = readJson(join(root, 'package-lock.json'));
/** npm writes it when an installation is complete, and removes it before it begins another one. */
const installedLock = join(root, 'node_modules', '.package-lock.json');

const pinnedVersion = Object.values(lock.packages[''].optionalDependencies)[0];
const nodePackage = nodePackageFor(process.platform, process.arch);
const isLocked = lock.packages[`node_modules/${nodePackage}`] !== undefined;
const ownFolder = join(root, 'node_modules', '.cache', 'node');

/**
 * The Node that runs Pharos; the one that runs this script may be older. If the lock file has none for the platform, a
 * Node that is new enough runs Pharos itself; otherwise the same version is fetched into a folder of its own.
 */
export const pinnedNode =
  !isLocked && major(process.versions.node) >= major(pinnedVersion)
    ? process.execPath
    : join(
        isLocked ? root : ownFolder,
        'node_modules',
        nodePackage,
        'bin',
        process.platform === 'win32' ? 'node.exe' : 'node',
      );

/** The npm package that contains Node for a platform, named as in the npm package `node`. */
function nodePackageFor(platform, arch) {
  const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node';
  return `${prefix}-${platform === 'win32' ? 'win' : platform}-${arch}`;
}

function major(version) {
  return Number(version.split('.')[0]);
}

/** Undefined if there is no such file, or it is not JSON. */
export function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Whether a package of the lock file is made for this platform only, and not for others. */
function isForHere({ os, cpu, libc }) {
  const allows = (list, value) => !list || [list].flat().includes(value);
  return (os || cpu) && allows(os, process.platform) && allows(cpu, process.arch) && allows(libc, 'glibc');
}

const isThere = (path) => existsSync(join(root, path, 'package.json'));
const wanted = Object.entries(lock.packages).filter(([path]) => path.includes('node_modules/'));

/** Whether `node_modules` contains what the lock file names, also after `npm ci` was typed by hand. */
function isInstalled() {
  const installed = readJson(installedLock)?.packages;
  return (
    installed !== undefined &&
    wanted.every(
      ([path, { version, link, optional }]) =>
        (optional && !installed[path]) || ((link || installed[path]?.version === version) && isThere(path)),
    )
  );
}

/** The optional packages for this platform, such as Node and the bundler's binary, that are missing. */
function missingHere() {
  return wanted.filter(([path, entry]) => entry.optional && isForHere(entry) && !isThere(path)).map(([path]) => path);
}

/** Runs npm. `code` is npm's name for its error, such as `ECONNREFUSED`; some errors have none. */
function npm(args, { isQuiet = false, onPinnedNode = false } = {}) {
  // npm passes its own path and its Node to scripts; a direct `node scripts/…` finds npm on the path.
  const { npm_execpath: cli, npm_node_execpath } = process.env;
  const node = onPinnedNode ? pinnedNode : (npm_node_execpath ?? process.execPath);
  const isWindows = process.platform === 'win32';
  const [command, ...before] = cli?.endsWith('.js') ? [node, cli] : [isWindows ? 'npm.cmd' : 'npm'];
  const { status, signal, stdout, error } = spawnSync(command, [...before, ...args, '--json', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'pipe', isQuiet ? 'ignore' : 2],
    encoding: 'utf8',
    env: onPinnedNode ? withPinnedNode(process.env) : process.env,
    shell: command === 'npm.cmd',
  });
  if (error) return { isDone: false, code: error.code === 'ENOENT' ? 'NO_NPM' : error.code };
  return { isDone: status === 0, signal, code: /"code": "(\w+)"/.exec(stdout)?.[1] };
}

/** @throws Error that says what npm could not do and what to do about it */
function install(args, how) {
  // npm's configuration on scripts, engines and kinds of dependencies does not apply here: all packages are needed, and
  // the pinned Node runs them, not the one that runs npm.
  const always = ['--ignore-scripts', '--engine-strict=false', '--include=dev', '--include=optional', '--include=peer'];
  const outcome = npm([...args, ...always, '--no-fund', '--no-audit'], how);
  if (outcome.isDone) return;
  // Some versions of npm exit without a code when the registry cannot be reached.
  const code =
    outcome.code ?? (outcome.signal ? undefined : npm(['ping', '--fetch-retries=0'], { isQuiet: true }).code);
  throw new Error(explainNpmFailure({ command: `npm ${args[0]}`, ...outcome, code }));
}

function fetchNode() {
  mkdirSync(ownFolder, { recursive: true });
  install(['install', '--no-save', '--no-package-lock', '--prefix', ownFolder, `${nodePackage}@${pinnedVersion}`]);
}

/** Makes `node_modules` match the lock file. Throws with a message that says what to do when npm fails. */
export function ensureInstalled() {
  if (isInstalled() && missingHere().length === 0 && existsSync(pinnedNode)) return;
  process.stderr.write('Installing dependencies (once) …\n');
  if (!isInstalled()) {
    // npm removes it too, but an installation that is interrupted before that must not look complete.
    rmSync(installedLock, { force: true });
    install(['ci']);
  }
  if (!isLocked && !existsSync(pinnedNode)) fetchNode();
  // npm silently omits an optional package that it could not fetch, or that does not support the Node it runs on.
  if (missingHere().length > 0) install(['install', '--no-save'], { onPinnedNode: existsSync(pinnedNode) });
  const missing = missingHere();
  if (missing.length > 0)
    throw new Error(`npm did not install ${missing.join(', ')}. Run "npm ci --include=optional" to see why.`);
  const { status } = spawnSync(pinnedNode, ['--version'], { stdio: 'ignore' });
  if (status !== 0)
    throw new Error(
      `Node ${pinnedVersion} does not run on this system (${pinnedNode}). On Linux it needs glibc, as in Debian or Fedora; systems with musl, such as Alpine, lack it.`,
    );
}

/** The file that a command of an installed package runs, such as `tsc` of `typescript`. */
export function toolFile(packageName, tool) {
  const folder = join(root, 'node_modules', packageName);
  const { bin } = readJson(join(folder, 'package.json'));
  return join(folder, typeof bin === 'string' ? bin : bin[tool]);
}

export function withPinnedNode(environment) {
  const name = Object.keys(environment).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH';
  const separator = process.platform === 'win32' ? ';' : ':';
  return { ...environment, [name]: `${dirname(pinnedNode)}${separator}${environment[name] ?? ''}` };
}
