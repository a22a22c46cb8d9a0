import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readlinkSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, databases, type TestApp } from '../../../../test/support/build-app.ts';
import { head, listen, openConnection } from '../../../../test/support/socket.ts';
import { sql } from '../../../base/sql.ts';
import type { BlobStore } from '../../../blobs/blob-store.ts';
import { filesFolder } from '../../../config/config.ts';
import { storeBody } from './intake.ts';

/** Uploads as they happen on a network: slow, interrupted, too long. */
for (const database of databases) {
  describe(`uploading over a socket on ${database}`, () => {
    let app: TestApp;
    let port: number;
    const accepted: Socket[] = [];
    beforeAll(async () => {
      app = await buildApp({ database, settings: { PHAROS_MAX_FILE_BYTES: '3000000' } });
      mkdirSync(filesFolder(app.config), { recursive: true });
      app.app.server.server.on('connection', (socket) => accepted.push(socket));
      port = await listen(app);
    });
    afterAll(() => app.close());

    const files = () =>
      readdirSync(filesFolder(app.config), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name));
    const rows = async () =>
      (await app.storage.db.all(sql`select object_id from files where app_id = ${app.appId}`)).length;
    const uploadHead = (headers: readonly (readonly [string, string])[], name = 'film.mp4') =>
      head(`POST /api/v2/files/${name}`, [
        ...Object.entries(app.credentials),
        ['Content-Type', 'video/mp4'],
        ...headers,
      ]);
    /** Waits, without a clock, until the upload in progress has begun to be written. */
    const growing = async () => {
      while (files().filter((path) => path.includes('.unfinished')).length === 0) await nextTick();
    };
    const vanished = async () => {
      while (files().some((path) => path.includes('.unfinished'))) await nextTick();
    };

    test('takes a body whose length is not announced', async () => {
      const connection = await openConnection(port);
      connection.send(`${uploadHead([['Transfer-Encoding', 'chunked']])}5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n`);
      const answer = await connection.answer();
      assert.equal(answer.status, 201);
      connection.send(head(`GET ${new URL(answer.body.url).pathname}`, []));
      assert.equal((await connection.answer()).body, 'hello!', 'the connection lives on');
      connection.socket.destroy();
    });

    test('keeps every byte of a body that comes in many pieces', async () => {
      const bytes = randomBytes(1_000_000);
      const address = `http://127.0.0.1:${port}`;
      const headers = { ...app.credentials, 'content-type': 'video/mp4' };
      const answer = await fetch(`${address}/api/v2/files/film.mp4`, { method: 'POST', headers, body: bytes });
      const { url } = (await answer.json()) as { url: string };
      const stored = await fetch(address + new URL(url).pathname);
      assert.ok(bytes.equals(Buffer.from(await stored.arrayBuffer())));
    });

    test('leaves nothing of an interrupted upload, and logs no error', async () => {
      const [filesBefore, rowsBefore] = [files().length, await rows()];
      const connection = await openConnection(port);
      connection.send(uploadHead([['Content-Length', '2000000']]));
      connection.send(Buffer.alloc(300_000));
      await growing();
      connection.socket.destroy();
      await vanished();
      assert.deepEqual([files().length, await rows()], [filesBefore, rowsBefore]);
      assert.deepEqual(
        app.log.filter((line) => line.includes('"level":50')),
        [],
      );
    });

    test('cuts off a client that stalls in the middle of an upload', async () => {
      const filesBefore = files().length;
      const connection = await openConnection(port);
      connection.send(uploadHead([['Content-Length', '2000000']]));
      connection.send(Buffer.alloc(1000));
      await growing();
      const socket = accepted.at(-1);
      assert.equal(socket?.timeout, 60_000);
      // What the operating system's clock would do after a minute of silence.
      socket?.emit('timeout');
      await connection.ended;
      await vanished();
      assert.equal(files().length, filesBefore);
    });

    test('a finished upload is no longer watched for silence', async () => {
      const connection = await openConnection(port);
      connection.send(`${uploadHead([['Content-Length', '2']])}ok`);
      assert.equal((await connection.answer()).status, 201);
      assert.notEqual(accepted.at(-1)?.timeout, 60_000);
      connection.socket.destroy();
    });

    test('refuses a file that announces too much before it is sent, and hangs up', async () => {
      const filesBefore = files().length;
      const connection = await openConnection(port);
      connection.send(uploadHead([['Content-Length', '3000001']]));
      const answer = await connection.answer();
      assert.deepEqual([answer.status, answer.body.code, answer.headers['connection']], [413, 116, 'close']);
      await connection.ended;
      assert.equal(files().length, filesBefore);
      connection.socket.destroy();
    });

    test('refuses a file that turns out too long while it is sent, and keeps nothing', async () => {
      const filesBefore = files().length;
      const connection = await openConnection(port);
      connection.send(uploadHead([['Transfer-Encoding', 'chunked']]));
      const chunk = Buffer.concat([Buffer.from('f4240\r\n'), Buffer.alloc(1_000_000), Buffer.from('\r\n')]);
      for (let sent = 0; sent < 4; sent++) connection.send(chunk);
      const answer = await connection.answer();
      assert.deepEqual([answer.status, answer.body.code, answer.headers['connection']], [413, 116, 'close']);
      await connection.ended;
      await vanished();
      assert.equal(files().length, filesBefore);
      connection.socket.destroy();
    });

    test('reads little of a large upload that it has refused', async () => {
      const connection = await openConnection(port);
      connection.send(
        uploadHead([
          ['Content-Length', '2900000'],
          ['Authorization', 'Bearer nobody'],
        ]),
      );
      const answer = await connection.answer();
      assert.deepEqual([answer.status, answer.body.code], [403, 209]);
      const server = accepted.at(-1);
      connection.send(Buffer.alloc(2_900_000));
      if (!server?.destroyed) await once(server as Socket, 'close');
      assert.ok((server?.bytesRead ?? 0) < 1_400_000, `${server?.bytesRead} bytes were read`);
      connection.socket.destroy();
    });

    test('asks for the body of a client that waits to be asked, only when it will be taken', async () => {
      const waiting = await openConnection(port);
      waiting.send(
        uploadHead([
          ['Content-Length', '4'],
          ['Expect', '100-continue'],
        ]),
      );
      assert.equal((await waiting.answer()).status, 100);
      waiting.send('data');
      assert.equal((await waiting.answer()).status, 201);
      waiting.socket.destroy();
      const refused = await openConnection(port);
      refused.send(
        uploadHead(
          [
            ['Content-Length', '4'],
            ['Expect', '100-continue'],
          ],
          'a%2Fb',
        ),
      );
      assert.equal((await refused.answer()).body.code, 122);
      await refused.ended;
      refused.socket.destroy();
    });

    test('refuses the names of folders, which some clients resolve before they send them', async () => {
      for (const name of ['..', '.', '%2E%2E', '%2e', '%2E.']) {
        const connection = await openConnection(port);
        connection.send(`${uploadHead([['Content-Length', '2']], name)}ok`);
        const answer = await connection.answer();
        assert.deepEqual([answer.status, answer.body.code], [400, 122], name);
        connection.socket.destroy();
      }
    });

    // Only Linux shows a process its open files by name.
    test('frees the file of a download whose reader goes away', { skip: process.platform !== 'linux' }, async () => {
      const own = await buildApp({ database });
      try {
        const ownPort = await listen(own);
        // More than the buffers between two sockets take.
        const film = Buffer.alloc(20_000_000);
        const { body } = await own.send({ method: 'POST', url: '/api/v2/files/film.mp4', body: film });
        const reading = await openConnection(ownPort);
        reading.socket.pause();
        reading.send(head(`GET ${new URL(body.url).pathname}`, []));
        const isOpen = () => openFiles().some((path) => path.startsWith(filesFolder(own.config)));
        while (!isOpen()) await nextTick();
        reading.socket.destroy();
        while (isOpen()) await nextTick();
      } finally {
        await own.close();
      }
    });
  });
}

function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return [];
    }
  });
}

test('what is stored of an upload holds no memory any more, whenever the garbage is collected', async () => {
  const chunks: Uint8Array[] = [];
  const blobs: Pick<BlobStore, 'put'> = {
    async put(_key, source) {
      for await (const chunk of source) chunks.push(chunk);
    },
  };
  const server = createServer(async (incoming, answer) => {
    const { size } = await storeBody(blobs as BlobStore, 'key', { stream: incoming, maxBytes: 1_000_000 });
    answer.end(String(size));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const outgoing = request({ method: 'POST', port: (server.address() as AddressInfo).port });
    outgoing.end(Buffer.alloc(500_000));
    const [answer] = await once(outgoing, 'response');
    assert.equal(String((await answer.toArray()).join('')), '500000');
    const held = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
    // A chunk that shares its memory with the head of the request is left to the garbage collector.
    assert.ok(chunks.length > 1 && held <= 65_536, `${held} bytes are still held by ${chunks.length} chunks`);
  } finally {
    server.close();
  }
});
