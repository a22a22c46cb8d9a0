import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, type TestApp } from '../../../test/support/build-app.ts';
import { commandLine } from '../../access/audit.ts';
import { sql } from '../../base/sql.ts';

const beacon = { name: 'Whale hall', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 12 };
const reading = [
  { resource: 'beacons', verbs: ['list', 'get'] },
  { resource: 'records', verbs: ['list'], buckets: ['birds'] },
];

/** A service with agents that speak to it as they do in the field: by HTTP, with the protocol's own client. */
async function open(settings: Readonly<Record<string, string>>) {
  const app = await buildApp({ settings });
  const address = await app.app.server.listen({ host: '127.0.0.1', port: 0 });
  const clients: Client[] = [];
  let keys = 0;
  const keyOf = async (scopes: unknown) =>
    (await app.app.secretKeys.create(app.appId, { name: `Helper ${++keys}`, scopes }, commandLine)).secretKey;
  return {
    app,
    address,
    keyOf,
    async connect(scopes: unknown) {
      const headers = {
        'x-service-appid': app.appId,
        'x-service-appkey': await keyOf(scopes),
        'user-agent': 'curator',
      };
      const client = new Client({ name: 'curator', version: '1' });
      clients.push(client);
      await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', address), { requestInit: { headers } }));
      return client;
    },
    async close() {
      for (const client of clients) await client.close();
      await app.close();
    },
  };
}

const asAgent = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const textOf = (answer: unknown) => (answer as { content: { text: string }[] }).content[0]?.text ?? '';

describe('agents that may read', () => {
  let site: Awaited<ReturnType<typeof open>>;
  let app: TestApp;
  beforeAll(async () => {
    site = await open({});
    app = site.app;
    await app.app.buckets.createBucket(app.appId, 'birds');
  });
  afterAll(() => site.close());

  test('have the tools that their key has scopes for, with what each takes', async () => {
    const client = await site.connect(reading);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name).sort();
    assert.deepEqual(
      names,
      ['getBeacon', 'listBeacons', 'listRecords', ...names.filter((name) => !/Beacon|listRecords/.test(name))].sort(),
    );
    assert.ok(!names.includes('createBeacon') && !names.includes('listVisits'));
    const list = tools.find(({ name }) => name === 'listRecords');
    assert.deepEqual(list?.inputSchema.required, ['bucketName']);
    assert.ok(Object.keys(list?.inputSchema.properties ?? {}).includes('where'));
    assert.equal(list?.annotations?.readOnlyHint, true);
  });

  test('get what the interface answers, and its errors with what to do', async () => {
    const client = await site.connect(reading);
    const list = await client.callTool({ name: 'listBeacons', arguments: { where: { name: 'Nowhere' }, limit: 5 } });
    assert.deepEqual([JSON.parse(textOf(list)), list.isError], [{ results: [] }, false]);
    const hidden = await client.callTool({ name: 'listRecords', arguments: { bucketName: 'others' } });
    assert.equal(hidden.isError, true);
    assert.match(textOf(hidden), /does not have the scope records:list in the bucket others/);
    const nameless = await client.callTool({ name: 'getBeacon', arguments: {} });
    assert.deepEqual([nameless.isError, textOf(nameless)], [true, 'objectId is missing: it is a text.']);
    const filtered = await client.callTool({
      name: 'listBeacons',
      arguments: { filter: { name: 'Nowhere' }, limit: 5 },
    });
    assert.equal(filtered.isError, true, 'all beacons would be an answer to another question');
    assert.match(textOf(filtered), /^filter: not taken\. It takes where, order, /);
    for (const objectId of ['.', '..']) {
      const step = await client.callTool({ name: 'getBeacon', arguments: { objectId } });
      assert.deepEqual([step.isError, textOf(step)], [true, `objectId cannot be ${objectId}.`]);
    }
    const headers = {
      'x-service-appid': app.appId,
      'x-service-appkey': await site.keyOf([{ resource: 'records', verbs: ['create'] }]),
    };
    const payload = { metadata: { song: 'x'.repeat(50_000) } };
    const request = { method: 'POST', url: '/api/v2/data/bucket/birds', headers, payload } as const;
    for (let count = 0; count < 3; count++) assert.equal((await app.app.server.inject(request)).statusCode, 201);
    const long = textOf(await client.callTool({ name: 'listRecords', arguments: { bucketName: 'birds' } }));
    assert.match(long, /cut here: 100000 of its 15\d{4} characters\. Ask for less/);
    assert.ok(long.length < 101_000);
    const broken = await client.callTool({ name: 'getBeacon', arguments: { objectId: '\ud800' } });
    assert.match(textOf(broken), /ObjectNotFound/);
  });

  test('cannot write, whatever their key may do, and are told who can allow it', async () => {
    const client = await site.connect([{ resource: 'beacons', verbs: ['create', 'list'] }]);
    await assert.rejects(client.callTool({ name: 'createBeacon', arguments: { body: beacon } }), /PHAROS_MCP=write/);
    await assert.rejects(
      client.callTool({ name: 'listVisits', arguments: {} }),
      /does not have the scope for listVisits/,
    );
    await assert.rejects(client.callTool({ name: 'dropEverything', arguments: {} }), /There is no tool dropEverything/);
  });

  test('read the handbook and the buckets, and find prompts', async () => {
    const client = await site.connect([{ resource: 'schemas', verbs: ['list'] }]);
    const { resources } = await client.listResources();
    const page = resources.find(({ uri }) => uri === 'pharos://handbook/glossary');
    assert.equal(page?.title, 'Glossary');
    const read = async (uri: string) => (await client.readResource({ uri })).contents[0] as { text: string };
    assert.match((await read('pharos://handbook/glossary')).text, /^# Glossary/);
    assert.match((await read('pharos://buckets/birds')).text, /"results"/);
    await assert.rejects(read('pharos://buckets/others'), /ObjectNotFound/);
    await assert.rejects(read('pharos://handbook/../../package'), /There is no resource/);
    const { prompts } = await client.listPrompts();
    assert.deepEqual(
      prompts.map(({ name }) => name),
      ['why-not-told', 'plan-campaign'],
    );
    const asked = await client.getPrompt({ name: 'why-not-told', arguments: { visitor: 'vera@example.org' } });
    assert.match(JSON.stringify(asked.messages), /Find out why the visitor vera@example\.org/);
    await assert.rejects(client.getPrompt({ name: 'plan-campaign', arguments: {} }), /goal is missing/);
  });

  test('are nobody without a secret key, or from a page of another site', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const ask = (headers: Readonly<Record<string, string>>, body: unknown = message) =>
      fetch(new URL('/mcp', site.address), {
        method: 'POST',
        headers: { ...asAgent, ...headers },
        body: JSON.stringify(body),
      });
    assert.equal((await ask({})).status, 400);
    assert.equal((await ask({ 'x-service-appid': app.appId, 'x-service-appkey': app.appKey })).status, 403);
    const own = { 'x-service-appid': app.appId, 'x-service-appkey': await site.keyOf(reading) };
    assert.equal((await ask({ ...own, 'x-service-appkey': `${own['x-service-appkey']}x` })).status, 404);
    assert.equal((await ask({ ...own, origin: 'https://evil.example' })).status, 403);
    assert.equal((await ask(own)).status, 200);
    // One request is one call, and so large at most.
    assert.equal((await ask(own, [message, message])).status, 400);
    assert.equal((await ask(own, { ...message, params: { cursor: 'x'.repeat(1_048_576) } })).status, 413);
    const { statusCode } = await app.app.server.inject({
      method: 'POST',
      url: '/mcp',
      headers: { ...asAgent, ...own, host: '[::1' },
      payload: message,
    });
    assert.equal(statusCode, 200);
  });
});

test('agents that may write are in the audit by their name, and off is absent', async () => {
  const site = await open({ PHAROS_MCP: 'write', PHAROS_PUBLIC_URL: '' });
  try {
    for (const [host, origin, status] of [
      ['localhost:8080', 'http://localhost:8080', 400],
      ['localhost:8080', 'http://localhost:8081', 403],
      ['evil.example', 'http://evil.example', 403],
      ['[::1', 'http://[::1', 403],
    ] as const) {
      const { statusCode } = await site.app.app.server.inject({
        method: 'GET',
        url: '/mcp',
        headers: { host, origin },
      });
      assert.equal(statusCode, status, origin);
    }
    const client = await site.connect([{ resource: 'beacons', verbs: ['create'] }]);
    const made = await client.callTool({ name: 'createBeacon', arguments: { body: beacon } });
    assert.equal(made.isError, false, textOf(made));
    const actors = await site.app.storage.db.all(sql`select actor from audit where action = ${'data.createBeacon'}`);
    assert.deepEqual(actors, [{ actor: 'key Helper 1, agent curator' }]);
    const own = {
      'x-service-appid': site.app.appId,
      'x-service-appkey': await site.keyOf([{ resource: 'beacons', verbs: ['create'] }]),
    };
    const names = { ' \u0000\r\n': 'key Helper 2', 'a\r\nkey\u001b[2J\u202eB': 'key Helper 2, agent a key [2J B' };
    for (const [name, shown] of Object.entries(names)) {
      const sent = await site.app.send({
        method: 'POST',
        url: '/api/v2/beacons',
        headers: { ...own, 'pharos-agent': name },
        body: beacon,
      });
      assert.equal(sent.status, 201);
      const [last] = await site.app.storage.db.all(sql`select actor from audit order by audit_id desc limit 1`);
      assert.deepEqual(last, { actor: shown });
    }
  } finally {
    await site.close();
  }
  const off = await open({ PHAROS_MCP: 'off' });
  try {
    assert.equal((await fetch(new URL('/mcp', off.address), { method: 'POST' })).status, 404);
  } finally {
    await off.close();
  }
});
