/** `node scripts/run.mjs TOOL ARGS…`: runs a tool of node_modules/.bin on the pinned Node. */
import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureInstalled, pinnedNode, root } from './install.mjs';

ensureInstalled();
const [tool, ...args] = process.argv.slice(2);
const file = realpathSync(join(root, 'node_modules', '.bin', tool));
const isScript = /^#!.*\bnode\b/.test(readFileSync(file, 'latin1').slice(0, 100));
const env = {
  ...process.env,
  PATH: `${dirname(pinnedNode)}:${process.env.PATH}`,
  // The checks work without the internet and tell nobody that they ran.
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
};
const result = spawnSync(isScript ? pinnedNode : file, isScript ? [file, ...args] : args, {
  cwd: root,
  stdio: 'inherit',
  env,
});
process.exit(result.status ?? 1);
