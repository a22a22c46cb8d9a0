import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, test } from 'vitest';
import { createServer } from '../server/server.ts';
import { registerConsoleFiles } from './console-files.ts';

describe("the console's files", () => {
  const above = mkdtempSync(join(tmpdir(), 'pharos-console-'));
  const folder = join(above, 'dist');
  const server = createServer({ logLevel: 'silent', trustProxy: false });
  registerConsoleFiles(server, folder);
  afterAll(async () => {
    await server.close();
    rmSync(above, { recursive: true });
  });
  const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
    server.inject({ method: 'GET', url, headers });

  test('while there are none, a page says what to do', async () => {
    const answer = await get('/console');
    assert.equal(answer.statusCode, 503);
    assert.match(answer.body, /The console is not built/);
    assert.match(String(answer.headers['content-security-policy']), /^default-src 'none'/);
  });

  test('are noticed once they are built', async () => {
    mkdirSync(join(folder, 'assets'), { recursive: true });
    writeFileSync(join(above, 'secret.html'), 'secret');
    writeFileSync(join(folder, 'index.html'), '<p>console</p>');
    writeFileSync(join(folder, '.built-from'), 'secret');
    writeFileSync(join(folder, 'assets', 'a-1.js'), `console.log(1);${' '.repeat(2_000)}`);
    assert.equal((await get('/console')).body, '<p>console</p>');
  });

  const cases: readonly (readonly [path: string, status: number, body: RegExp])[] = [
    ['/console/', 200, /<p>console/],
    ['/console/apps/some-id/rules', 200, /<p>console/],
    ['/console/assets/a-1.js', 200, /console\.log/],
    ['/console/assets/a-2.js', 404, /NotFound/],
    ['/console/.built-from', 200, /<p>console/],
    ['/console/../secret.html', 404, /NotFound/],
    ['/console/..%2fsecret.html', 404, /NotFound/],
    ['/console/assets/..%2f..%2fsecret.html', 404, /NotFound/],
    ['/console/api', 404, /NotFound/],
    ['/console/api/apps', 404, /NotFound/],
  ];
  for (const [path, status, body] of cases)
    test(`${path} is answered with ${status}`, async () => {
      const answer = await get(path);
      assert.equal(answer.statusCode, status);
      assert.match(answer.body, body);
      assert.doesNotMatch(answer.body, /secret/);
    });

  test("the service's own address leads a person here, and tells a program that there is nothing", async () => {
    const browser = await get('/', { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' });
    assert.deepEqual([browser.statusCode, browser.headers.location], [302, '/console']);
    const programs: Readonly<Record<string, string>>[] = [{}, { accept: '*/*' }, { accept: 'application/json' }];
    for (const headers of programs) {
      const program = await get('/', headers);
      assert.equal(program.statusCode, 404);
      assert.equal(program.json().error.name, 'NotFound');
      assert.equal(program.headers['vary'], 'accept');
    }
  });

  test('go compressed to those who take it', async () => {
    const plain = await get('/console/assets/a-1.js');
    const small = await get('/console/assets/a-1.js', { 'accept-encoding': 'br, gzip' });
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(small.headers['content-encoding'], 'gzip');
    assert.ok(small.rawPayload.length < plain.rawPayload.length);
    assert.equal(small.headers['vary'], 'accept-encoding');
  });
});
