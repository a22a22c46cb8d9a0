import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, test } from 'vitest';
import { testInFull } from '../support/depth.ts';
import { canMount, fillUp, smallDisk } from '../support/storage/small-disk.ts';
import { call, firstCredentials, type Service, signInTo, startService } from './service.ts';

const account = { email: 'vera@example.org', password: 'open sesame' };
const device = (name: string) => ({ deviceName: name, manufacture: 'Acme', topic: `a/${name}` });

function asUser(service: Service, headers: Readonly<Record<string, string>>) {
  const send = (method: string, path: string, body?: unknown) =>
    call(service, method, `/api/v2${path}`, { headers, ...(body === undefined ? {} : { body }) });
  return {
    create: (name: string) => send('POST', '/device', device(name)),
    remove: (id: string) => send('DELETE', `/device/${id}`),
    signIn: () => send('POST', '/users/signin', account),
    readiness: () => call(service, 'GET', '/readyz', { headers }),
    async upload(bytes: number) {
      const response = await fetch(`${service.baseUrl}/api/v2/files/film.mp4`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'video/mp4' },
        body: Buffer.alloc(bytes, 1),
      });
      return { status: response.status, body: (await response.json()) as { objectId: string } };
    },
    removeFile: (id: string) => send('DELETE', `/files/${id}`),
  };
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(50);
}

describe('a disk without room', () => {
  test('new content is refused below the floor, and deletions, changes and sign-ins are not', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-low-'));
    try {
      const first = await startService({ PHAROS_DATA: folder });
      const headers = await signInTo(first, firstCredentials(folder));
      const made = await asUser(first, headers).create('one');
      await first.stop('SIGTERM');
      // More than any disk has left.
      const service = await startService({ PHAROS_DATA: folder, PHAROS_MIN_FREE_BYTES: '1099511627776' });
      const user = asUser(service, headers);
      await until(async () => (await user.readiness()).status === 503);
      const refused = await user.create('two');
      assert.deepEqual([refused.status, refused.body.code], [503, 124]);
      assert.match(refused.body.error.error, /nearly full/);
      assert.equal((await user.signIn()).status, 200);
      assert.equal((await user.remove(made.body.result.objectId)).status, 200);
      assert.equal((await user.readiness()).status, 503);
      assert.match(service.output(), /nearly full/);
      await service.stop('SIGTERM');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  testInFull(
    'a full disk takes deletions, sign-ins and a start, and new content once there is room again',
    {
      skip: !canMount,
    },
    async () => {
      const disk = smallDisk(48_000_000);
      assert.ok(disk);
      const settings = { PHAROS_DATA: disk.folder, PHAROS_MIN_FREE_BYTES: '6000000', PHAROS_RESERVE_BYTES: '9000000' };
      const free = () => {
        const { bavail, bsize } = statfsSync(disk.folder);
        return bavail * bsize;
      };
      let service: Service | undefined;
      try {
        const untouched = free();
        service = await startService(settings);
        const headers = await signInTo(service, firstCredentials(disk.folder));
        let user = asUser(service, headers);
        const devices: string[] = [];
        for (let n = 0; n < 4; n++) devices.push((await user.create(`device ${n}`)).body.result.objectId);
        const { body: file } = await user.upload(500_000);
        await until(async () => untouched - free() > 9_000_000);
        const warned = await user.readiness();
        assert.equal(warned.status, 200);
        assert.match(warned.body.warnings.join(), /is free on the disk. Below .* new content is refused/);
        const uploads = [];
        for (let n = 0; n < 60; n++) uploads.push((await user.upload(1_000_000)).status);
        assert.equal(uploads.at(-1), 503);
        assert.ok(uploads.includes(201) && free() >= 5_000_000, `${free()} bytes are left by uploads`);

        fillUp(disk.folder);
        assert.equal((await user.readiness()).status, 503);
        assert.equal((await user.create('refused')).status, 503);
        assert.equal((await user.signIn()).status, 200);
        assert.equal((await user.remove(devices[0] ?? '')).status, 200);
        await service.stop('SIGKILL');

        service = await startService(settings);
        user = asUser(service, headers);
        assert.equal((await user.signIn()).status, 200);
        assert.equal((await user.remove(devices[1] ?? '')).status, 200);
        assert.equal((await user.removeFile(file.objectId)).status, 200);
        assert.equal((await user.upload(1_000_000)).status, 503);
        rmSync(join(disk.folder, 'somebody-elses'));
        const created = user;
        await until(async () => (await created.readiness()).status === 200);
        assert.equal((await user.create('again')).status, 201);
        await service.stop('SIGTERM');
        service = undefined;
      } finally {
        await service?.stop('SIGKILL');
        disk.remove();
      }
    },
  );
});
