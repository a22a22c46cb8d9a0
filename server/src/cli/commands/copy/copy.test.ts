import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { test } from 'vitest';
import { shellOf } from '../../../../test/support/command-line.ts';
import { startS3 } from '../../../../test/support/servers/s3-server.ts';
import { openSite } from '../../../../test/support/site.ts';
import { commandLine } from '../../../access/audit.ts';
import { scopeVerbs } from '../../../access/keys/scopes.ts';
import { newObjectId } from '../../../base/id.ts';
import { readS3Address } from '../../../blobs/s3-address.ts';
import { connectS3 } from '../../../blobs/s3-client.ts';
import { insertRecords } from '../../../features/data/buckets/definition/record-store.ts';

test('what a key may list is copied into a folder and into S3, a file for each list, and nothing else', async () => {
  const site = await openSite('sqlite');
  const s3 = await startS3();
  try {
    const { app } = site.app;
    const { appId } = site.app;
    const url = await app.server.listen({ host: '127.0.0.1', port: 0 });
    const { objectId: bucketId } = await app.buckets.createBucket(appId, 'birds');
    const write = { version: 1, slots: {}, document: JSON.stringify({ species: 'Kestrel' }), now: site.now };
    const keys = Array.from({ length: 1_100 }, () => ({ appId, bucketId, objectId: newObjectId(site.now) }));
    assert.ok(
      await insertRecords(
        site.app.storage.db,
        keys.map((key) => ({ ...write, key })),
      ),
    );
    const others = ['users', 'installations'];
    const scopes = Object.entries(scopeVerbs)
      .filter(([resource, verbs]) => verbs.includes('list') && !others.includes(resource))
      .map(([resource]) => ({ resource, verbs: ['list'] }));
    const { secretKey } = await app.secretKeys.create(appId, { name: 'Lake', scopes }, commandLine);
    const { folder } = site.app.storage;
    const shell = shellOf(folder, {});
    const key = join(folder, 'copy.key');
    writeFileSync(key, `${secretKey}\n`);
    const line = `copy --url ${url} --app ${appId} --key ${key} --json`;
    const done = await shell.run(`${line} --to ${join(folder, 'lake')}`);
    assert.equal(done.code, 0, done.err);
    const of = (name: string) => done.json.lists.find((list: { name: string }) => list.name === name)?.records;
    assert.deepEqual([of('data-bucket-birds'), of('beacons'), of('visits')], [1_100, 1, 0]);
    assert.deepEqual(done.json.leftOut.sort(), ['installations', 'users']);
    const place = join(folder, 'lake', done.json.folder);
    assert.deepEqual(
      readdirSync(place).sort(),
      done.json.lists.map(({ name }: { name: string }) => `${name}.ndjson.gz`).sort(),
    );
    const lines = (bytes: Buffer) =>
      gunzipSync(bytes)
        .toString()
        .trimEnd()
        .split('\n')
        .map((one) => JSON.parse(one));
    const birds = lines(readFileSync(join(place, 'data-bucket-birds.ndjson.gz')));
    assert.equal(new Set(birds.map(({ objectId }) => objectId)).size, 1_100);
    assert.equal(birds[7].metadata.species, 'Kestrel');

    const remote = await shell.run(`${line} --to ${s3.url('lake')} --since 2100-01-01`);
    assert.deepEqual([remote.code, remote.json?.records], [0, 0], remote.err);
    const again = await shell.run(`${line} --to ${s3.url('lake')}`);
    assert.equal(again.json.records, done.json.records);
    const address = readS3Address(s3.url('lake'));
    const { sdk, client } = await connectS3(address, 5_000);
    const Key = `lake/${done.json.folder}/data-bucket-birds.ndjson.gz`;
    const object = await client.send(new sdk.GetObjectCommand({ Bucket: address.bucket, Key }));
    assert.equal(lines(Buffer.from((await object.Body?.transformToByteArray()) ?? [])).length, 1_100);
    client.destroy();

    await app.apps.change(appId, { policy: { pseudonyms: 'daily' } });
    const veiled = await shell.run(`${line} --to ${join(folder, 'lake')}`);
    assert.deepEqual(veiled.json?.leftOut.sort(), [...others, 'positions'].sort(), veiled.err);
    assert.equal(veiled.json.records, done.json.records);

    writeFileSync(key, `{"secretKey":"${secretKey}",\n}`);
    const misread = await shell.run(`${line} --to ${join(folder, 'lake')}`);
    assert.match(misread.err, /--key is a file with a secret key alone/);
    assert.ok(!misread.err.includes(secretKey));
    writeFileSync(key, 'phs_wrong');
    const refused = await shell.run(`${line} --to ${join(folder, 'lake')}`);
    assert.match(refused.err, /data\/openapi was answered with 404: The AppId or AppKey is invalid/);
    assert.match((await shell.run(`${line} --to s3://x`)).err, /--to must/);
    assert.match((await shell.run(`${line} --to lake --since yesterday`)).err, /--since is a day/);
  } finally {
    await s3.close();
    await site.close();
  }
});
