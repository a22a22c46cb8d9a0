import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { Failure } from '../base/errors.ts';
import { DiskRoom, type DiskRoomOptions } from './disk-room.ts';

const refusedAs = (words: RegExp) => (error: unknown) =>
  error instanceof Failure && error.entry.name === 'Timeout' && words.test(error.message);
const noSpace = () => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });

/** The room of a new folder on this machine's disk, with what it logs. */
async function withRoom(
  options: Partial<DiskRoomOptions>,
  work: (room: DiskRoom, log: readonly string[], folder: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-room-'));
  const log: string[] = [];
  const room = new DiskRoom({
    dataFolder: folder,
    minFreeBytes: 0,
    reserveBytes: 0,
    isEmbedded: true,
    probeDatabase: async () => undefined,
    log: (level, message) => log.push(`${level} ${message}`),
    fitDatabase: () => ({ needed: 0, reusable: 0 }),
    ...options,
  });
  try {
    await work(room, log, folder);
  } finally {
    await room.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('the room on the disk', () => {
  test('uploads in progress share it, and one that is over gives back what it took', () =>
    withRoom({}, async (room, _log, folder) => {
      const { bavail, bsize } = statfsSync(folder);
      const most = Math.floor(bavail * bsize * 0.6);
      for (let uploads = 0; uploads < 3; uploads++) {
        const giveBack = await room.claim(most);
        await assert.rejects(room.claim(most), refusedAs(/nearly full/));
        giveBack();
      }
    }));

  test('a full disk is reported once and releases the reserve; uploads are accepted again when there is room', () =>
    withRoom({ reserveBytes: 2_000_000 }, async (room, log, folder) => {
      const reserve = join(folder, 'reserve');
      room.start();
      while (room.report().reserveBytes < 2_000_000) await room.check();
      assert.equal(statSync(reserve).size, 2_000_000);
      room.note(noSpace());
      room.note(noSpace());
      assert.deepEqual([existsSync(reserve), room.report().level, room.report().errors.full], [false, 'full', 2]);
      assert.match(room.problem() ?? '', /The disk is full/);
      assert.throws(() => room.assertRoom('create'), refusedAs(/The disk is full/));
      room.assertRoom('change');
      // This disk has room all the time, which the next look finds out by writing.
      await room.check();
      assert.deepEqual([room.report().level, room.problem()], ['ample', undefined]);
      assert.equal(existsSync(join(folder, 'room.probe')), false);
      (await room.claim(1))();
      for (const [index, words] of [/^warn .*reserve of 2 MB/, /^error The disk is full/, /has room again$/].entries())
        assert.match(log[index] ?? '', words);
      assert.equal(log.length, 3);
    }));

  test('a stop ends the filling of the reserve, and no file is written after it', () =>
    withRoom({ reserveBytes: 500_000_000 }, async (room, _log, folder) => {
      const reserve = join(folder, 'reserve');
      room.start();
      while (!existsSync(reserve) || statSync(reserve).size === 0) await room.check();
      await room.stop();
      const { size } = statSync(reserve);
      assert.ok(size < 500_000_000, 'it does not wait for the whole');
      await room.check();
      await room.stop();
      assert.equal(statSync(reserve).size, size);
    }));

  test('a full disk of the database server refuses new content until the server has room', async () => {
    const full = Object.assign(new Error('could not extend file'), { code: '53100' });
    await withRoom({ isEmbedded: false }, async (room, log) => {
      room.note(full);
      assert.match(room.problem() ?? '', /database server is full/);
      assert.throws(() => room.assertRoom('create'), refusedAs(/database server is full/));
      room.assertRoom('change');
      assert.equal(log.length, 1);
    });
    let isFull = true;
    const probeDatabase = async () => {
      if (isFull) throw full;
    };
    await withRoom({ isEmbedded: false, probeDatabase }, async (room, log) => {
      await room.check();
      assert.match(room.problem() ?? '', /database server is full/);
      isFull = false;
      await room.check();
      assert.match(room.problem() ?? '', /database server is full/, 'it is not asked all the time');
      assert.equal(log.length, 1);
    });
  });
});
