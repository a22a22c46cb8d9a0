import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { TestApp } from '../support/build-app.ts';
import { type CheckoutCopy, checkout, copyCheckout } from '../support/interface/checkout-copy.ts';
import { applyPageCode, type PageCode, readPageCode } from '../support/interface/page-code.ts';

/** The page is followed step by step in a copy of the checkout: what it says has to be enough, and no step too many. */

const page = 'docs/adding-a-resource.md';
const declaration = 'server/src/features/places/exhibits/resource.ts';
const outdated = `${page} is out of date`;

/** The page's declaration with one mistake each. */
const mistakes: readonly (readonly [name: string, right: string, wrong: string])[] = [
  ['a member without a column', "    year: number('year'),\n", ''],
  ['a column that no member shows', "year: number('year'),", "year: number('year'), weight: number('weight'),"],
  ['a text in a column of numbers', "name: text('name')", "name: number('name')"],
  [
    'a member of the body that is kept nowhere',
    'Type.Object(members)',
    'Type.Object({ ...members, a: Type.String() })',
  ],
  ['an index on a column that is not there', "'beacon_id', 'object_id'", "'beacon', 'object_id'"],
];
const fileOf = (mistake: number) => declaration.replace('resource', `mistake-${mistake}`);

/** Tests of all tables and all endpoints: what is left out is noticed by one of them. */
const houseTests = [
  {
    file: 'server/test/storage/declared-tables.test.ts',
    name: 'the declared tables on sqlite > are all that there are',
  },
  {
    file: 'server/test/interface/console-data.test.ts',
    name: "an app's data in the console on sqlite > each role reads and writes",
  },
  { file: 'server/test/interface/every-endpoint.test.ts', name: "every endpoint on sqlite > answers another app's id" },
] as const;

/** Tests of all texts and sections of the console. */
const consoleTests = [
  { file: 'console/test/words/words.test.ts', name: 'the catalogues' },
  { file: 'console/test/words/service-words.test.ts', name: 'the sentences of the service' },
  { file: 'console/test/house/links.test.ts', name: 'every section of an app' },
] as const;

type TestOf = { readonly file: string; readonly name: string };

function runTests(copy: CheckoutCopy, tests: readonly TestOf[]) {
  const names = tests.map(({ name }) => name).join('|');
  return copy.run('node_modules/vitest/vitest.mjs', 'run', '--no-color', '-t', names, ...tests.map(({ file }) => file));
}

/**
 * A check of everything takes long. Only what the page makes or changes is checked, and the client: nothing else can depend on
 * a resource that was not there.
 */
function trustTypes(folder: string, except: ReadonlySet<string>): void {
  for (const part of ['packages', 'server/src', 'server/test', 'bench', 'console/src'])
    for (const name of readdirSync(join(folder, part), { recursive: true, encoding: 'utf8' })) {
      const path = `${part}/${name.replaceAll('\\', '/')}`;
      if (!/\.tsx?$/.test(path) || except.has(path)) continue;
      writeFileSync(join(folder, path), `// @ts-nocheck\n${readFileSync(join(folder, path), 'utf8')}`);
    }
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what a test is about to find out
  readonly body: any;
}

/** The client of the copy, as far as it is needed. */
interface Client {
  // biome-ignore lint/suspicious/noExplicitAny: its operations are those of the copy
  call(operation: unknown, input?: object): Promise<any>;
}

const copy = copyCheckout();
afterAll(() => copy.remove());
const pieces: PageCode[] = [];
const sourcesOf = () => [...new Set(pieces.map(({ path }) => path).filter((path) => /\.tsx?$/.test(path)))];
const problem = await follow().then(
  () => undefined,
  (error: unknown) => error,
);

async function follow(): Promise<void> {
  pieces.push(...readPageCode(page));
  applyPageCode(page, pieces, copy.folder);
  trustTypes(copy.folder, new Set(sourcesOf()));
  const { code, output } = await copy.run('scripts/generate-wire.ts');
  assert.equal(code, 0, `${outdated}: its service does not start.\n${output}`);
}

test(`the steps of ${page} can be taken`, () => {
  if (problem) throw problem;
});

// Without them everything fails, which would hide why.
const whenTaken = problem ? () => undefined : describe;

whenTaken(page, { concurrent: true }, () => {
  test('needs eight files, a test and texts, each of which the checklist names', () => {
    const paths = [...new Set(pieces.map(({ path }) => path))];
    const files = paths.filter((path) => !/\.test\.ts$|\/catalogues\//.test(path));
    assert.equal(files.length, 8, files.join(', '));
    const checklist = readFileSync(join(checkout, 'CONTRIBUTING.md'), 'utf8');
    for (const path of paths) {
      const named = path.replaceAll('exhibits', 'things').replace('de.json', '*.json');
      assert.ok(checklist.includes(`\`${named}\``), `The checklist in CONTRIBUTING.md lacks \`${named}\`.`);
    }
  });

  test('compiles and is written as the linter wants it, and its mistakes do not compile', async () => {
    const code = readFileSync(join(copy.folder, declaration), 'utf8');
    for (const [index, [name, right, wrong]] of mistakes.entries()) {
      assert.ok(code.includes(right), `${name}: the declaration has no ${right}`);
      writeFileSync(join(copy.folder, fileOf(index)), code.replace(right, wrong));
    }
    const types: string[] = [];
    for (const project of ['server', 'sdk', 'console'])
      types.push((await copy.run('node_modules/typescript/bin/tsc', '-p', project, '--pretty', 'false')).output);
    const lint = await copy.run(
      'node_modules/@biomejs/biome/bin/biome',
      'check',
      '--error-on-warnings',
      ...sourcesOf(),
    );
    const errors = types
      .join('\n')
      .split('\n')
      .filter((line) => /error TS/.test(line));
    const isMistake = (error: string) => mistakes.some((_, index) => error.includes(fileOf(index)));
    const others = errors.filter((error) => !isMistake(error));
    assert.equal(others.join('\n'), '', `${outdated}: its code does not compile.`);
    for (const [index, [name]] of mistakes.entries())
      assert.ok(
        errors.some((error) => error.includes(fileOf(index))),
        `${name} compiles`,
      );
    assert.equal(lint.code, 0, `${outdated}: npm run format would change its code.\n${lint.output}`);
  });

  test('passes the tests of all tables and endpoints, and its own', async () => {
    const own = { file: 'server/src/features/places/exhibits/exhibits.test.ts', name: 'exhibits on sqlite' };
    const { code, output } = await runTests(copy, [...houseTests, own]);
    assert.equal(code, 0, `${outdated}: with its code, tests fail.\n${output}`);
    // One after the other: together with the test below, three runs at once would take longer.
    const ofConsole = await runTests(copy, consoleTests);
    assert.equal(ofConsole.code, 0, `${outdated}: with its code, tests of the console fail.\n${ofConsole.output}`);
  });

  test('leaves out nothing that nobody would notice', async () => {
    const lacking = copyCheckout();
    try {
      const others = pieces.filter(({ path }) => path !== 'server/src/features/places/tables.ts');
      applyPageCode(page, others, lacking.folder);
      const [tables, , endpoints] = houseTests;
      const { output } = await runTests(lacking, [tables, endpoints]);
      for (const { name } of [tables, endpoints])
        assert.match(output, new RegExp(`× ${name.split(' > ')[1]}`), `${name}:\n${output}`);
      for (const told of ["'exhibits'", 'GET /exhibits/:objectId'])
        assert.ok(output.includes(told), `Nothing says "${told}":\n${output}`);
    } finally {
      lacking.remove();
    }
  });

  describe('the service with its resource', { concurrent: false }, () => {
    let app: TestApp;
    let support: typeof import('../support/build-app.ts');
    let client: Client;
    let operations: Readonly<Record<string, unknown>>;
    let beacon: object;
    let call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;
    const load = (path: string) => import(pathToFileURL(join(copy.folder, path)).href);
    const clock = { name: 'Astronomical clock', year: 1574, acquiredOn: '1987-03-14' };
    beforeAll(async () => {
      support = await load('server/test/support/build-app.ts');
      app = await support.buildApp();
      const baseUrl = await app.app.server.listen({ host: '127.0.0.1', port: 0 });
      const { token, headers } = await support.signIn(app);
      call = async (method, path, body, others = {}) => {
        const type = body === undefined ? {} : { 'content-type': 'application/json' };
        const sent = { ...app.credentials, ...headers, ...type, ...others };
        const answer = await fetch(baseUrl + path, { method, headers: sent, body: JSON.stringify(body) });
        return { status: answer.status, headers: answer.headers, body: await answer.json() };
      };
      const sdk = await load('sdk/src/index.ts');
      operations = sdk.operations;
      client = new sdk.PharosClient({ baseUrl, appId: app.appId, appKey: app.appKey, token });
      const hall = { name: 'Hall', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 1 };
      const { objectId } = (await call('POST', '/api/v2/beacons', hall)).body.result;
      beacon = { __type: 'Pointer', className: 'Beacon', objectId };
    });
    afterAll(() => app?.close());

    test('keeps, shows, filters, changes and deletes records', async () => {
      const made = await call('POST', '/api/v2/exhibits', { ...clock, beaconId: beacon });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const one = `/api/v2/exhibits/${made.body.result.objectId}`;
      const read = await call('GET', one);
      const { objectId, createdAt, updatedAt, createdBy, ...members } = read.body.result;
      assert.deepEqual(members, { ...clock, beaconId: beacon });
      assert.equal(createdBy.className, '_User');
      assert.deepEqual([objectId, createdAt], [made.body.result.objectId, made.body.result.createdAt]);

      await call('POST', '/api/v2/exhibits', { name: 'Vase', year: -480, beaconId: beacon });
      const names = async (where: object) => {
        const { body } = await call('GET', `/api/v2/exhibits?where=${encodeURIComponent(JSON.stringify(where))}`);
        return body.results.map(({ name }: { name: string }) => name);
      };
      assert.deepEqual(await names({ year: { $lt: 0 } }), ['Vase']);
      assert.deepEqual(await names({ acquiredOn: { $gte: '1987-01-01', $lt: '1988-01-01' } }), [clock.name]);
      assert.deepEqual(await names({ beaconId: beacon }), [clock.name, 'Vase']);
      assert.deepEqual(await names({ beaconId: { ...beacon, objectId: 'another' } }), []);

      const tag = String(read.headers.get('etag'));
      assert.equal((await call('PUT', one, { year: 1573 }, { 'if-match': tag })).status, 200);
      assert.equal((await call('PATCH', one, { acquiredOn: null })).status, 200);
      assert.equal((await call('PUT', one, { year: 1 }, { 'if-match': tag })).body.error.name, 'PreconditionFailed');
      const changed = (await call('GET', one)).body.result;
      assert.deepEqual([changed.year, 'acquiredOn' in changed], [1573, false]);

      assert.equal((await call('DELETE', one)).status, 200);
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const { status, body } = await call(method, one, method === 'PUT' ? { year: 1 } : undefined);
        assert.deepEqual([status, body.error.name], [404, 'ObjectNotFound'], method);
      }
    });

    test('refuses what breaks a rule, a beacon that is not there, and who is not signed in', async () => {
      const post = (change: object, headers = {}) =>
        call('POST', '/api/v2/exhibits', { ...clock, beaconId: beacon, ...change }, headers);
      const broken = await post({ name: '', year: 1.5, acquiredOn: '1987-02-30' });
      const fields = broken.body.error.details.map(({ field }: { field: string }) => field);
      assert.deepEqual([broken.status, fields], [400, ['name', 'year', 'acquiredOn']]);
      const nowhere = await post({ beaconId: { ...beacon, objectId: 'another' } });
      assert.deepEqual([nowhere.status, nowhere.body.error.error], [404, 'beaconId: there is no beacon another.']);
      assert.equal((await post({}, { authorization: 'Bearer none' })).status, 403);
    });

    test('is in the OpenAPI document under its tag', async () => {
      const { tags, paths, webhooks } = (await call('GET', '/openapi.json')).body;
      const names = tags.map(({ name }: { name: string }) => name);
      assert.equal(names[names.indexOf('Storylines') + 1], 'Exhibits');
      const operations = ['/api/v2/exhibits', '/api/v2/exhibits/{objectId}'].flatMap((path) =>
        Object.values<{ operationId: string; tags: string[] }>(paths[path]),
      );
      assert.deepEqual(operations.map(({ operationId }) => operationId).sort(), [
        'createExhibit',
        'deleteExhibit',
        'getExhibit',
        'listExhibits',
        'patchExhibit',
        'updateExhibit',
      ]);
      for (const operation of operations) assert.deepEqual(operation.tags, ['Exhibits'], operation.operationId);
      assert.doesNotMatch(JSON.stringify(webhooks ?? {}), /exhibit/i);
    });

    test('is in the client', async () => {
      const body = { ...clock, beaconId: beacon };
      const { objectId } = (await client.call(operations.createExhibit, { body })).result;
      const params = { objectId };
      await client.call(operations.updateExhibit, { params, body: { acquiredOn: null } });
      assert.equal((await client.call(operations.getExhibit, { params })).result.acquiredOn, undefined);
      const { results } = await client.call(operations.listExhibits, { query: { where: { year: clock.year } } });
      assert.deepEqual(
        results.map((found: { objectId: string }) => found.objectId),
        [objectId],
      );
      await client.call(operations.deleteExhibit, { params });
      await assert.rejects(client.call(operations.getExhibit, { params }), { name: 'ObjectNotFound', status: 404 });
    });

    test('is open to the roles of the console that the tag names, and the audit tells what they do', async () => {
      const { openConsole }: typeof import('../support/console.ts') = await load('server/test/support/console.ts');
      const [editor, installer, owner] = await Promise.all(
        (['editor', 'installer', 'owner'] as const).map((role) => openConsole(app, role)),
      );
      const url = `/apps/${app.appId}/v2/exhibits`;
      const body = { ...clock, beaconId: beacon };
      assert.equal((await installer?.send({ method: 'POST', url, body }))?.body.error.name, 'OperationForbidden');
      assert.equal((await installer?.send({ method: 'GET', url }))?.status, 200);
      const made = await editor?.send({ method: 'POST', url, body });
      assert.equal(made?.status, 201);
      const [change] = (await owner?.send({ method: 'GET', url: '/audit?limit=1' }))?.body.results ?? [];
      assert.deepEqual(
        [change.action, change.subject, change.actor, change.after.name],
        ['data.createExhibit', made?.body.result.objectId, editor?.email, clock.name],
      );
      const { dataNeeds, scopeResources } = await load('console/src/lib/wire.ts');
      assert.deepEqual([dataNeeds.listExhibits, dataNeeds.createExhibit], ['content.read', 'content.write']);
      const verbs = ['list', 'get', 'create', 'update', 'delete'];
      assert.deepEqual(scopeResources.exhibits, { noun: 'exhibits', verbs, byVenue: false });
    });

    test('deletes the records with their app, and keeps those of others', async () => {
      const others = await support.otherApp(app);
      const theirs = { ...others, ...(await support.signIn(app, others)).headers };
      const hall = { name: 'Hall', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 1 };
      const { objectId } = (await call('POST', '/api/v2/beacons', hall, theirs)).body.result;
      const beaconId = { ...beacon, objectId };
      assert.equal((await call('POST', '/api/v2/exhibits', { ...clock, beaconId }, theirs)).status, 201);
      const { sql }: typeof import('../../src/base/sql.ts') = await load('server/src/base/sql.ts');
      const count = async (appId = '') =>
        (await app.storage.db.one<{ n: number }>(sql`select count(*) as n from exhibits where app_id = ${appId}`))?.n;
      const own = await count(app.appId);
      assert.ok(own);
      await app.app.apps.remove(others['x-service-appid'] ?? '');
      assert.deepEqual([await count(others['x-service-appid']), await count(app.appId)], [0, own]);
    });
  });
});
