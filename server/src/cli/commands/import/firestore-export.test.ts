import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, test } from 'vitest';
import { withShell } from '../../../../test/support/command-line.ts';
import { exportedDocuments } from './firestore-export.ts';

/**
 * `output-0.gz` and `documents.json` are what Google's emulator of Firestore (firestore-emulator 528.0.0) has exported, and listed
 * over REST, of the same documents. Of those in `blobs`, which only fill blocks, there is no list.
 */
const sample = (name: string) => readFileSync(new URL(`../../../../test/support/firestore/${name}`, import.meta.url));
const output = gunzipSync(sample('output-0.gz'));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pharos-firestore-'));
  mkdirSync(join(folder, 'all_namespaces', 'all_kinds'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = () => join(folder, 'all_namespaces', 'all_kinds', 'output-0');
async function read(bytes: Buffer) {
  writeFileSync(file(), bytes);
  return Array.fromAsync(exportedDocuments(folder));
}
const problemsOf = async (bytes: Buffer) =>
  (await read(bytes)).flatMap(({ at, problem }) => (problem ? [`${at.split(':')[1]}: ${problem}`] : []));

test('every kind of value is what Firestore itself lists over REST', async () => {
  const text = sample('documents.json')
    .toString()
    .replaceAll('projects/demo/databases/(default)', 'projects//databases/')
    // REST leaves out what is empty.
    .replaceAll('"arrayValue": {}', '"arrayValue": {"values": []}')
    .replaceAll('"mapValue": {}', '"mapValue": {"fields": {}}');
  const listed: { name: string; fields?: object }[] = JSON.parse(text).documents;
  const found = (await read(output)).filter(({ name }) => !name?.includes('/blobs/'));
  const order = (one: { readonly name?: string | undefined }, other: typeof one) =>
    String(one.name) < String(other.name) ? -1 : 1;
  assert.deepEqual(
    JSON.parse(JSON.stringify(found.sort(order).map(({ name, fields }) => ({ name, fields })))),
    listed.map(({ name, fields = {} }) => ({ name, fields })).sort(order),
  );
});

test('a damaged record is named, and those before and after it are read', async () => {
  assert.equal((await read(output)).length, 10);
  // In the first record, and in the part of a longer one.
  for (const [place, number] of [
    [40, 1],
    [50_000, 4],
  ] as const) {
    const damaged = Buffer.from(output);
    damaged[place] = (damaged[place] ?? 0) ^ 1;
    assert.deepEqual(await problemsOf(damaged), [`${number}: is damaged`]);
    assert.equal((await read(damaged)).length, 10);
  }
  assert.deepEqual(await problemsOf(output.subarray(0, 32_768)), ['3: has no end']);
  assert.equal((await problemsOf(output.subarray(32_768)))[0], '1: has no beginning');
  assert.deepEqual(await problemsOf(Buffer.from('not an export at all')), ['1: is damaged']);
});

test('an export is imported like what REST lists, and once, also when it was copied meanwhile', () =>
  withShell('sqlite', async (shell) => {
    const app = (await shell.run('app create --name Guide --json')).json;
    writeFileSync(file(), output);
    const line = `import --as firestore --from ${folder} --app ${app.appId} --json`;
    const first = await shell.run(line);
    assert.deepEqual([first.code, first.json.counts.record], [0, { new: 10, same: 0, differs: 0 }], first.err);
    utimesSync(file(), 1_700_000_000, 1_700_000_000);
    assert.deepEqual((await shell.run(line)).json.counts.record, { new: 0, same: 10, differs: 0 });
    const listed = JSON.parse(sample('documents.json').toString());
    for (const one of listed.documents) one.createTime = '1970-01-01T00:00:00Z';
    const lines = join(folder, 'documents.json');
    writeFileSync(lines, JSON.stringify(listed));
    const other = await shell.run(line.replace(folder, lines));
    assert.deepEqual(other.json.counts.record, { new: 0, same: 5, differs: 0 }, 'as over REST');
    rmSync(file());
    assert.match((await shell.run(line)).err, /There is no file output-0/);
  }));
