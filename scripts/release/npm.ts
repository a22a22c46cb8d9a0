import { execFileSync } from 'node:child_process';

/** Runs npm in a folder, and returns what it prints. */
export function npm(args: readonly string[], cwd: string): string {
  const cli = process.env['npm_execpath'];
  const [program, before] = cli?.endsWith('.js')
    ? [process.execPath, [cli]]
    : [process.platform === 'win32' ? 'npm.cmd' : 'npm', []];
  return execFileSync(program, [...before, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Packs the package in `contents` into the folder `target`, and returns the file's name. */
export function npmPack(contents: string, target: string): string {
  const answer = npm(['pack', '--json', '--ignore-scripts', '--pack-destination', target], contents);
  // A list, or an object by the package's name: versions of npm differ.
  const [packed] = Object.values(JSON.parse(answer) as Record<string, { filename: string }>);
  if (!packed) throw new Error('npm pack has named no file.');
  return packed.filename;
}
