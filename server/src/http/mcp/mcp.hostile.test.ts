import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, type TestApp } from '../../../test/support/build-app.ts';
import { commandLine } from '../../access/audit.ts';

/** What an agent, or somebody with an agent's key, tries at `/mcp`. */

const reading = [{ resource: 'beacons', verbs: ['list', 'get'] }];

describe('an agent that may read beacons', () => {
  let app: TestApp;
  let key: string;
  beforeAll(async () => {
    app = await buildApp({ settings: { PHAROS_MCP: 'write' } });
    ({ secretKey: key } = await app.app.secretKeys.create(app.appId, { name: 'Agent', scopes: reading }, commandLine));
  });
  afterAll(() => app.close());

  async function send(
    body: string,
    more: Readonly<Record<string, string>> = {},
    method: 'GET' | 'POST' | 'DELETE' = 'POST',
  ) {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-service-appid': app.appId,
      'x-service-appkey': key,
      ...more,
    };
    const answer = await app.app.server.inject({
      method,
      url: '/mcp',
      headers,
      ...(method === 'POST' ? { payload: body } : {}),
    });
    return { status: answer.statusCode, text: answer.body };
  }
  const message = (name: string, given: unknown) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } });

  test('finds no tool that it has no scope for, however it is called', async () => {
    for (const name of [
      'createBeacon',
      'deleteBeacon',
      'getbeacon',
      'getBeacon ',
      '__proto__',
      'constructor',
      '../getBeacon',
      'listUsers',
      '',
    ]) {
      const { text } = await send(message(name, { body: {}, objectId: 'x' }));
      assert.match(text, /"error"/, name);
      assert.doesNotMatch(text, /"result"/, name);
    }
  });

  test('sends parameters that are declared, and refuses others', async () => {
    const others = { body: { name: 'x' }, method: 'DELETE', 'limit=1&count': 1, access_token: 'x' };
    for (const [name, value] of Object.entries(others))
      assert.match((await send(message('listBeacons', { limit: 1, [name]: value }))).text, /: not taken\./, name);
    assert.match((await send(message('listBeacons', { limit: 1, ['__proto__']: { skip: 1 } }))).text, /results/);
    for (const objectId of [['a'], { toString: 'x' }, 7, null, true])
      assert.match((await send(message('getBeacon', { objectId }))).text, /objectId is missing/);
    for (const objectId of ['../users', '..%2fusers', '%2e%2e', 'x/../../users', 'x?limit=1', 'x#', '\u0000', '. '])
      assert.match((await send(message('getBeacon', { objectId }))).text, /ObjectNotFound|no beacon/, objectId);
  });

  test('is of one app, and has no session to take over', async () => {
    const other = await app.app.apps.create('Other');
    const list = message('listBeacons', {});
    assert.notEqual((await send(list, { 'x-service-appid': other.appId })).status, 200);
    assert.match(
      (await send(list, { 'mcp-session-id': 'somebody', 'x-http-method-override': 'DELETE' })).text,
      /results/,
    );
    for (const method of ['GET', 'DELETE'] as const) assert.equal((await send('', {}, method)).status, 405);
  });

  test('sends what is nested without end, broken or no message, and the service answers on', async () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const call = (where: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"listBeacons","arguments":{"where":${where}}}}`;
    for (const body of [
      call(nested(200_000)),
      call(`{"$or":${nested(3_000)}}`),
      `{"jsonrpc":"2.0","id":${nested(100_000)},"method":"ping"}`,
      '{',
      '',
      'null',
      '7',
      '{"jsonrpc":"2.0"}',
      '\ufeff[]',
    ]) {
      const { status, text } = await send(body);
      assert.ok(status < 500, `${status} ${text.slice(0, 200)} ${body.slice(0, 100)}`);
      assert.doesNotMatch(text, /"results"|node:internal|\.ts:/, body.slice(0, 100));
    }
    assert.match((await send(message('listBeacons', {}))).text, /results/);
  });
});
