import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, databases, type TestApp } from '../../../../../test/support/build-app.ts';
import { type Browser, openConsole, password } from '../../../../../test/support/console.ts';
import type { AdminRole } from '../../../../access/roles.ts';
import { sql } from '../../../../base/sql.ts';

const beacon = { name: 'Whale hall', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 12 };
const day = 86_400_000;
const textOf = (answer: unknown) => (answer as { content: { text: string }[] }).content[0]?.text ?? '';

for (const database of databases) {
  describe(`agents of administrators on ${database}`, () => {
    let app: TestApp;
    let address: string;
    const clients: Client[] = [];
    beforeAll(async () => {
      app = await buildApp({ database, settings: { PHAROS_MCP: 'write' } });
      address = await app.app.server.listen({ host: '127.0.0.1', port: 0 });
    });
    afterAll(async () => {
      for (const client of clients) await client.close();
      await app.close();
    });

    const ask = (browser: Browser, more: object = {}) =>
      browser.send({
        method: 'POST',
        url: '/session/agents',
        body: { appId: app.appId, name: 'Assistant', mayWrite: false, days: 30, ...more },
      });
    async function add(browser: Browser, more: object = {}): Promise<{ token: string; agentId: string }> {
      const { status, body } = await ask(browser, more);
      assert.equal(status, 201, JSON.stringify(body));
      return { token: body.result.token, agentId: body.result.agent.agentId };
    }
    const agentOf = async (role: AdminRole, more: object = {}) => {
      const browser = await openConsole(app, role);
      return { browser, ...(await add(browser, more)) };
    };
    async function connect(token: string): Promise<Client> {
      const client = new Client({ name: 'somebody else', version: '1' });
      clients.push(client);
      const requestInit = { headers: { authorization: `Bearer ${token}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', address), { requestInit }));
      return client;
    }
    const toolsOf = async (token: string) =>
      (await (await connect(token)).listTools()).tools.map(({ name }) => name).sort();
    /** What the console's access to the app answers to a token. */
    const direct = (token: string, method: 'GET' | 'POST' = 'GET', appId = app.appId) =>
      app.send({
        method,
        url: `/console/api/apps/${appId}/v2/beacons`,
        headers: { authorization: `Bearer ${token}` },
        ...(method === 'POST' ? { body: beacon } : {}),
      });
    const sendAs = async (role: AdminRole, token: string, limit: object) => {
      const owner = await openConsole(app, 'owner');
      const admins = (await owner.send({ method: 'GET', url: '/administrators' })).body.results;
      const { adminId } = admins.findLast((one: { role: string }) => one.role === role);
      await owner.send({ method: 'PUT', url: `/administrators/${adminId}`, body: limit });
      return toolsOf(token);
    };

    test('have what the console lets the role read as tools, and nothing else', async () => {
      const { browser: owner, token } = await agentOf('owner');
      const all = await toolsOf(token);
      const reading = app.app.endpoints.filter(({ operationId }) => all.includes(operationId));
      const ask = ({ send }: Browser, path: string) =>
        send({ method: 'GET', url: `/apps/${app.appId}/v2${path.replace(/:\w+/g, 'none')}` });
      for (const { operationId, method, path } of reading) {
        const { status, body } = await ask(owner, path);
        assert.deepEqual([method, status === 403, body.error?.name === 'NotFound'], ['GET', false, false], operationId);
      }
      assert.ok(all.includes('listUsers') && !all.includes('listSessions'));
      for (const role of ['editor', 'author', 'reader'] as const) {
        const { browser, token } = await agentOf(role);
        const tools = await toolsOf(token);
        assert.deepEqual(
          tools.filter((name) => !all.includes(name)),
          [],
        );
        for (const { operationId, path } of reading) {
          const { status } = await ask(browser, path);
          assert.equal(tools.includes(operationId), status !== 403, `${role} ${operationId}`);
        }
      }
    });

    test('answer as the console does, and say what the role does not include', async () => {
      const { token } = await agentOf('author');
      const client = await connect(token);
      const list = await client.callTool({ name: 'listBeacons', arguments: { where: { name: 'Nowhere' } } });
      assert.deepEqual([JSON.parse(textOf(list)), list.isError], [{ results: [] }, false]);
      await assert.rejects(
        client.callTool({ name: 'listUsers', arguments: {} }),
        /role author does not include listUsers/,
      );
      await assert.rejects(client.callTool({ name: 'createNotification', arguments: {} }), /this agent may only read/);
      assert.equal((await direct(token, 'POST')).status, 403);
    });

    test('change what they may, in the name of the administrator, with theirs in the audit', async () => {
      const { browser, token } = await agentOf('installer', { mayWrite: true, name: 'Round\nof the hall' });
      const client = await connect(token);
      const made = await client.callTool({ name: 'createBeacon', arguments: { body: beacon } });
      assert.equal(made.isError, false, textOf(made));
      await assert.rejects(
        client.callTool({ name: 'createNotification', arguments: {} }),
        /role installer does not include/,
      );
      const actors = await app.storage.db.all(sql`select actor from audit where action = ${'data.createBeacon'}`);
      assert.deepEqual(actors, [{ actor: `${browser.email}, agent Round of the hall` }]);
    });

    test('follow the role of the administrator, and the venues', async () => {
      const { token } = await agentOf('manager');
      assert.ok((await toolsOf(token)).includes('listUsers'));
      const limited = await sendAs('manager', token, { role: 'editor', apps: [{ appId: app.appId, venues: ['one'] }] });
      assert.ok(limited.includes('listBeacons') && !limited.includes('listUsers') && !limited.includes('listRecords'));
      const elsewhere = await app.app.apps.create('Elsewhere');
      await assert.rejects(sendAs('editor', token, { apps: [{ appId: elsewhere.appId }] }));
      assert.equal((await direct(token)).status, 404);
    });

    test('reach one app, and are no session', async () => {
      const { browser, token } = await agentOf('owner', { mayWrite: true });
      const other = await app.app.apps.create('Other');
      assert.equal((await direct(token, 'GET', other.appId)).status, 404);
      const headers = { authorization: `Bearer ${token}`, origin: 'http://pharos.test' };
      for (const url of ['/session', '/apps', `/apps/${app.appId}/keys`, '/session/agents', '/administrators'])
        assert.equal((await app.send({ method: 'GET', url: `/console/api${url}`, headers })).status, 403, url);
      const [, cookie = ''] = browser.cookie.split('=');
      assert.equal((await direct(cookie)).status, 403);
      const asCookie = browser.cookie.replace(cookie, token);
      assert.equal(
        (await app.send({ method: 'GET', url: '/console/api/session', headers: { cookie: asCookie } })).status,
        403,
      );
      assert.equal((await ask(browser, { appId: 'none' })).status, 404);
      for (const bad of [{ days: 0 }, { days: 91 }, { name: '' }, { mayWrite: 1 }])
        assert.equal((await ask(browser, bad)).body.error?.name, 'ValidationError', JSON.stringify(bad));
      app.clock.now += 6 * 60_000;
      assert.equal((await ask(browser)).body.error.name, 'ConfirmationNeeded');
    });

    test('are listed, and end when they are removed, in time, with the password and with the account', async () => {
      const { browser, token, agentId } = await agentOf('analyst', { name: 'First' });
      assert.equal((await direct(token)).status, 200);
      await app.app.idle();
      const own = async () => (await browser.send({ method: 'GET', url: '/session/agents' })).body.results;
      const [listed] = await own();
      assert.deepEqual(
        [listed.agentId, listed.name, listed.mayWrite, listed.lastUsedAt, 'token' in listed],
        [agentId, 'First', false, new Date(app.clock.now).toISOString(), false],
      );
      const remove = () => browser.send({ method: 'DELETE', url: `/session/agents/${agentId}` });
      assert.deepEqual([(await remove()).status, (await remove()).status], [200, 404]);
      assert.deepEqual([(await direct(token)).status, await own()], [403, []]);
      await assert.rejects(connect(token));
      const { token: second } = await add(browser);
      const body = { currentPassword: password, password: 'another long secret' };
      const changed = await browser.send({ method: 'PUT', url: '/session/password', body });
      assert.ok(changed.status < 300, JSON.stringify(changed.body));
      assert.equal((await direct(second)).status, 403);
      const { browser: gone, token: third } = await agentOf('editor');
      const owner = await openConsole(app, 'owner');
      const stranger = await owner.send({ method: 'DELETE', url: `/session/agents/${third.slice(0, 16)}` });
      assert.equal(stranger.status, 404);
      await owner.send({ method: 'PUT', url: `/administrators/${gone.adminId}`, body: { disabled: true } });
      await owner.send({ method: 'PUT', url: `/administrators/${gone.adminId}`, body: { disabled: false } });
      assert.equal((await direct(third)).status, 403);
      const { token: fourth } = await add(owner, { days: 1 });
      assert.equal((await direct(fourth)).status, 200);
      app.clock.now += day;
      assert.equal((await direct(fourth)).status, 403);
      const actions = await app.storage.db.all<{ action: string }>(
        sql`select action from audit where subject = ${'First'} order by audit_id`,
      );
      assert.deepEqual(
        actions.map(({ action }) => action),
        ['agent.create', 'agent.remove'],
      );
    });

    test('are twenty at most, and ask ten times a second at most', async () => {
      const { browser, token } = await agentOf('reader');
      for (let made = 1; made < 20; made++) await add(browser);
      assert.equal((await ask(browser)).status, 403);
      const answers = await Promise.all(Array.from({ length: 101 }, () => direct(token)));
      assert.deepEqual(
        answers.filter(({ status }) => status !== 200).map(({ status }) => status),
        [429],
      );
      app.clock.now += 1_000;
      assert.equal((await direct(token)).status, 200);
    });
  });
}

test('what the operator lets agents do holds wherever they send their token', async () => {
  for (const [setting, reads] of [
    ['read', 200],
    ['off', 403],
  ] as const) {
    const app = await buildApp({ settings: { PHAROS_MCP: setting } });
    try {
      const owner = await openConsole(app, 'owner');
      const body = { appId: app.appId, name: 'Assistant', mayWrite: true, days: 30 };
      const { token } = (await owner.send({ method: 'POST', url: '/session/agents', body })).body.result;
      const headers = { authorization: `Bearer ${token}` };
      const url = `/console/api/apps/${app.appId}/v2/beacons`;
      assert.equal((await app.send({ method: 'GET', url, headers })).status, reads);
      assert.equal((await app.send({ method: 'POST', url, headers, body: beacon })).status, 403);
    } finally {
      await app.close();
    }
  }
});
