/**
 * Loaded before a program (`node --import`): at its n-th change of a file or folder (PHAROS_TEST_FAULT_AT) it dies of a signal, or
 * from there on the disk is full (PHAROS_TEST_FAULT: SIGKILL, SIGTERM or ENOSPC). How often it came to change anything is written to
 * standard error at its end.
 */
import { existsSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const fault = process.env.PHAROS_TEST_FAULT;
const at = Number(process.env.PHAROS_TEST_FAULT_AT);
let changes = 0;

/** What a full disk refuses; it moves and deletes. */
const needsRoom = (name, path) => name === 'writeFile' || (name === 'mkdir' && !existsSync(path));

for (const name of ['mkdir', 'rename', 'rm', 'writeFile']) {
  const real = promises[name];
  promises[name] = async (path, ...others) => {
    changes++;
    if (fault === 'ENOSPC' && changes >= at && needsRoom(name, path))
      throw Object.assign(new Error(`ENOSPC: no space left on device, ${name} '${path}'`), { code: 'ENOSPC' });
    if (fault !== 'ENOSPC' && changes === at) {
      process.kill(process.pid, fault);
      await new Promise(() => {});
    }
    return real(path, ...others);
  };
}
syncBuiltinESMExports();
process.on('exit', () => process.stderr.write(`changes: ${changes}\n`));
