/** `node scripts/run.mjs TOOL ARGS…`: runs a tool of the installed packages on the pinned Node. */
import { spawnSync } from 'node:child_process';
import { ensureInstalled, pinnedNode, root, toolFile, withPinnedNode } from './install.mjs';

/** The tools that package.json's scripts use, and the packages that contain them. */
const packages = { biome: '@biomejs/biome', redocly: '@redocly/cli', tsc: 'typescript' };

try {
  ensureInstalled();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
const [tool, ...args] = process.argv.slice(2);
const file = tool === 'node' ? [] : [toolFile(packages[tool], tool)];
const result = spawnSync(pinnedNode, [...file, ...args], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...withPinnedNode(process.env),
    // The checks work without the internet and send no telemetry.
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  },
});
process.exit(result.status ?? 1);
