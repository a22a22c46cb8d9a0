import assert from 'node:assert/strict';
import fastify from 'fastify';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { defaultPolicy } from '../../src/access/policy.ts';
import { catalogue } from '../../src/base/errors.ts';
import { defaultRules } from '../../src/http/grants.ts';
import { registerDocs } from '../../src/http/openapi/docs.ts';
import { errorsOf } from '../../src/http/openapi/openapi.ts';
import { buildApp, signInManager, type TestApp } from '../support/build-app.ts';

describe('the OpenAPI document', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await buildApp();
  });
  afterAll(() => app.close());

  test('names every endpoint once, with every error and an example of each', async () => {
    const document = (await app.send({ method: 'GET', url: '/openapi.json' })).body;
    assert.equal(document.openapi, '3.1.0');
    const ids = new Set<string>();
    for (const endpoint of app.app.endpoints) {
      const path = `/api/v2${endpoint.path.replace(/:(\w+)/g, '{$1}')}`;
      const operation = document.paths[path]?.[endpoint.method.toLowerCase()];
      assert.ok(operation, `${endpoint.method} ${path}`);
      ids.add(operation.operationId);
      for (const name of errorsOf(endpoint)) {
        const { status, code } = catalogue[name];
        const example = operation.responses[status]?.content['application/json'].examples[name]?.value;
        assert.deepEqual([example?.code, example?.error.name], [code, name], `${endpoint.method} ${path} ${name}`);
      }
    }
    assert.equal(ids.size, app.app.endpoints.length, 'operation ids are unique');
  });

  test('says of every endpoint with a query that a parameter given twice is refused, and so it is', async () => {
    const queried = app.app.endpoints.filter(({ method, query }) => method === 'GET' && query && query.length > 0);
    assert.ok(queried.length > 20);
    const { headers } = await signInManager(app);
    for (const endpoint of queried) {
      const where = `${endpoint.method} ${endpoint.path}`;
      assert.ok(errorsOf(endpoint).includes('InvalidQuery'), where);
      const name = encodeURIComponent(endpoint.query?.[0]?.name ?? '');
      const url = `/api/v2${endpoint.path.replace(/:\w+/g, 'none')}?${name}=1&${name}=2`;
      const { status, body } = await app.send({ method: 'GET', url, headers });
      assert.ok(status === 404 || (status === 400 && body.code === 102), `${where}: ${JSON.stringify(body)}`);
    }
  });

  test('has examples that its own schemas and the validation accept', () => {
    for (const endpoint of app.app.endpoints) {
      const where = `${endpoint.method} ${endpoint.path}`;
      assert.ok(Compile(endpoint.answer.schema).Check(endpoint.answer.example), `${where}: the answer's example`);
      if (!endpoint.body) continue;
      const context = { appId: app.appId, name: 'Test', policy: defaultPolicy, rules: defaultRules };
      endpoint.body.read(endpoint.body.example, context);
    }
  });

  test('says what PUT and PATCH take: null for what can be cleared, and in a merge nothing is required', async () => {
    const { paths } = (await app.send({ method: 'GET', url: '/openapi.json' })).body;
    const bodyOf = (path: string, method: 'put' | 'patch') =>
      Compile(paths[`/api/v2${path}`][method].requestBody.content['application/json'].schema);
    const takes: readonly (readonly [path: string, put: boolean, patch: boolean, body: object])[] = [
      ['/beacons/{objectId}', true, true, { location: null, radius: null }],
      ['/beacons/{objectId}', false, false, { name: null }],
      ['/beacons/{objectId}', false, true, { location: { x: 2 } }],
      ['/beacons/{objectId}', true, true, { location: { x: 2, y: 3, floor: 1 } }],
      ['/beacons/{objectId}', false, false, { location: { x: null } }],
      ['/notifications/{objectId}', false, true, { beaconId: { objectId: 'x' } }],
      ['/notifications/{objectId}', false, true, { delivery: { coolDown: { seconds: 60 } } }],
      ['/notifications/{objectId}', true, true, { delivery: null }],
      ['/storylines/{objectId}/detail/{detailId}', true, true, { alertTitle: null, urlPage: null }],
      ['/data/schema/{bucketName}/{objectId}', false, true, { column: { a: null, b: {} } }],
      ['/users/me', true, true, { phone: null, metadata: null }],
      ['/users/me', false, false, { firstname: null }],
      ['/installations/{objectId}', true, true, { channels: null, userId: null }],
      ['/installations/{objectId}', false, false, { userId: { objectId: 'x' } }],
    ];
    for (const [path, put, patch, body] of takes)
      assert.deepEqual(
        [bodyOf(path, 'put').Check(body), bodyOf(path, 'patch').Check(body)],
        [put, patch],
        `${path} ${JSON.stringify(body)}`,
      );
  });

  test('is made once, however often it is read', async () => {
    const server = fastify();
    let made = 0;
    const publicUrl = () => `http://pharos.test/${++made}`;
    registerDocs(server, { endpoints: app.app.endpoints, version: '1', webhooks: () => [], publicUrl });
    const read = async (url: string) => (await server.inject({ url })).payload;
    const [first, again, page] = [await read('/openapi.json'), await read('/openapi.json'), await read('/docs')];
    assert.deepEqual([again === first, page.length > 0, made], [true, true, 1]);
    await server.close();
  });

  test('is readable at /docs without anything from elsewhere', async () => {
    const page = await app.send({ method: 'GET', url: '/docs' });
    assert.equal(page.status, 200);
    const html = page.raw.toString();
    assert.match(String(page.headers['content-security-policy']), /default-src 'none'/);
    assert.doesNotMatch(html, /<script|<img|<iframe|src=|@import|url\(/i);
    assert.deepEqual(html.match(/<link[^>]*>/gi), [
      '<link rel="icon" href="/console/lighthouse.svg" type="image/svg+xml">',
    ]);
    for (const { operationId } of app.app.endpoints) assert.ok(html.includes(`id="${operationId}"`), operationId);
  });
});
