import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export const checkout = fileURLToPath(new URL('../../../..', import.meta.url));

export interface CheckoutCopy {
  readonly folder: string;
  /** Runs this Node in the copy; `output` is both of its streams. */
  run(...args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }>;
  remove(): void;
}

const workspaces = ['server', 'sdk', 'console', 'scripts', 'packages/engine', 'packages/gateways', 'packages/query'];
const copied = ['bench', 'examples', ...workspaces];
const settings = [
  '.gitignore',
  'biome.json',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'tsconfig.json',
  'vitest.config.mjs',
];
const leftBehind = new Set(['node_modules', 'dist', 'profiles', 'peers']);

/** The sources of this checkout in a temporary folder, where they may be changed. Packages are linked. */
export function copyCheckout(): CheckoutCopy {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-checkout-'));
  for (const name of copied)
    cpSync(join(checkout, name), join(folder, name), {
      recursive: true,
      filter: (path) => !leftBehind.has(basename(path)),
    });
  for (const name of settings) cpSync(join(checkout, name), join(folder, name));
  mkdirSync(join(folder, 'docs'));
  linkPackages(folder);
  return {
    folder,
    run: (...args) => run(folder, args),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** One link for each package instead of one for all, so that the workspaces are the copy's and no cache is shared. */
function linkPackages(folder: string): void {
  const packages = join(checkout, 'node_modules');
  const linked = join(folder, 'node_modules');
  mkdirSync(join(linked, '@pharos'), { recursive: true });
  for (const name of readdirSync(packages))
    if (name !== '@pharos' && name !== '.cache') symlinkSync(join(packages, name), join(linked, name), 'junction');
  for (const name of workspaces) {
    symlinkSync(join(folder, name), join(linked, '@pharos', basename(name)), 'junction');
    const own = join(checkout, name, 'node_modules');
    if (existsSync(own)) symlinkSync(own, join(folder, name, 'node_modules'), 'junction');
  }
}

async function run(cwd: string, args: readonly string[]) {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, output: stdout + stderr };
}
