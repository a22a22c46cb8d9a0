import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { OpenApiDocument } from '../../server/src/http/openapi/openapi.ts';
import { buildApp, signIn, signInManager, type TestApp } from '../../server/test/support/build-app.ts';
import { makeExamples } from '../../server/test/support/interface/examples.ts';
import { type GeneratedCall, renderCalls, type Where } from './generated-calls.ts';
import { installConsumers } from './install-consumers.ts';

const run = promisify(execFile);

/**
 * A stream has no end to wait for. If a client exposes the body, it is opened and closed; otherwise the call is only
 * compiled.
 */
const notCalled = ['streamEvents'];
/**
 * Calls that cannot succeed here: there are no mails and no identity providers, the push service has nothing to deliver, no
 * push waits for anybody, and nobody was sensed where beacons have a place.
 */
const refusals: Readonly<Record<string, number>> = {
  resetPassword: 404,
  forgotPassword: 403,
  requestSignInLink: 403,
  signInWithLink: 403,
  requestVerification: 403,
  verifyEmail: 404,
  signInWithToken: 404,
  linkIdentity: 404,
  unlinkIdentity: 404,
  refreshToken: 403,
  updateBeaconOwner: 404,
  updateVenueOwner: 404,
  updateFloorOwner: 404,
  updateZoneOwner: 404,
  updateNotificationOwner: 404,
  updateStorylineOwner: 404,
  updateStorylineDetailOwner: 404,
  updateDeviceOwner: 404,
  updateFileOwner: 404,
  // No second factors and no passkeys are switched on.
  startTotp: 403,
  enableTotp: 403,
  disableTotp: 404,
  renewRecoveryCodes: 403,
  finishSignIn: 404,
  startTotpAtSignIn: 403,
  startPasskey: 403,
  addPasskey: 403,
  renamePasskey: 404,
  removePasskey: 404,
  startPasskeySignIn: 403,
  signInWithPasskey: 403,
  endSession: 404,
  getDelivery: 404,
  approvePush: 409,
  // APNs is not set up.
  sendLiveActivity: 412,
  createLiveActivityChannel: 412,
  deleteLiveActivityChannel: 412,
  getPosition: 404,
  getErasure: 404,
  // The photograph of the example is not there, and nobody has verified a place.
  verifyPlacement: 404,
  withdrawPlacement: 404,
  // No console shows a code, and the floor of the example is not there.
  pairInstallation: 404,
  simulateWalks: 404,
  // Where the one sample of the example was taken no beacon of the test hangs.
  createSurvey: 400,
  getSurvey: 404,
  deleteSurvey: 404,
};

describe('clients that others generate from the OpenAPI document', () => {
  let app: TestApp;
  let baseUrl: string;
  let folder: string;
  let tools: string;
  let document: OpenApiDocument;
  const tool = (path: string, args: readonly string[]) =>
    run(process.execPath, [join(tools, 'node_modules', path), ...args], { cwd: folder });

  beforeAll(async () => {
    tools = installConsumers();
    folder = mkdtempSync(join(tmpdir(), 'pharos-generated-'));
    symlinkSync(join(tools, 'node_modules'), join(folder, 'node_modules'));
    app = await buildApp();
    // Every call of every client, while the clock stands still.
    await app.app.apps.change(app.appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
    await app.app.server.listen({ host: '127.0.0.1', port: 0 });
    baseUrl = `http://127.0.0.1:${(app.app.server.server.address() as AddressInfo).port}`;
    await app.app.buckets.createBucket(app.appId, 'birds');
    document = (await app.send({ method: 'GET', url: '/openapi.json' })).body;
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify({ ...document, servers: [{ url: baseUrl }] }));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const zod = { input: './openapi.json', output: { target: './orval/zod.ts', client: 'zod' } };
    const client = { input: './openapi.json', output: { target: './orval/client.ts', client: 'fetch', baseUrl } };
    writeFileSync(join(folder, 'orval.config.mjs'), `export default ${JSON.stringify({ zod, client })}`);
    await Promise.all([
      tool('openapi-typescript/bin/cli.js', ['openapi.json', '-o', 'schema.ts']),
      tool('@hey-api/openapi-ts/bin/run.js', ['-i', 'openapi.json', '-o', 'hey', '--no-log-file']),
      tool('orval/dist/bin/orval.mjs', ['--config', 'orval.config.mjs']),
    ]);
    for (const generator of ['fetch', 'hey', 'orval'] as const)
      writeFileSync(join(folder, `${generator}.ts`), renderCalls(generator, document, baseUrl));
  });
  afterAll(async () => {
    await app?.close();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  test('compile, with calls of every operation and with every member that can be cleared', async () => {
    const compilerOptions = {
      target: 'es2022',
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: [],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
    };
    const files = ['fetch.ts', 'hey.ts', 'orval.ts'];
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const { stdout } = await tool('typescript/bin/tsc', ['-p', '.']).catch((error) => error);
    assert.equal(stdout, '');
  });

  test('know the columns of an app’s buckets from its own document', async () => {
    const { headers } = await signInManager(app);
    await app.app.buckets.createBucket(app.appId, 'visits_by_hour');
    const column = { hour: { type: 'Number' }, hall: { type: 'String' }, at: { type: 'Date' } };
    await post('/data/schema/visits_by_hour', { column }, headers);
    const { body } = await app.send({ method: 'GET', url: '/api/v2/data/openapi', headers });
    writeFileSync(join(folder, 'own.json'), JSON.stringify(body));
    await tool('openapi-typescript/bin/cli.js', ['own.json', '-o', 'own-schema.ts']);
    writeFileSync(
      join(folder, 'own.ts'),
      `import createClient from 'openapi-fetch';
import type { paths } from './own-schema.ts';
const client = createClient<paths>({ baseUrl: '' });
const { data } = await client.GET('/api/v2/data/bucket/visits_by_hour');
export const hour: number | null | undefined = data?.results[0]?.metadata.hour;
// @ts-expect-error a number is no text
export const hall: string | null | undefined = data?.results[0]?.metadata.hour;
await client.POST('/api/v2/data/bucket/visits_by_hour', { body: { metadata: { hour: 3, hall: null, other: [1] } } });
// @ts-expect-error
await client.POST('/api/v2/data/bucket/visits_by_hour', { body: { metadata: { hour: 'three' } } });
await client.PATCH('/api/v2/data/bucket/visits_by_hour/{objectId}', { params: { path: { objectId: 'x' } }, body: { hour: null } });
// @ts-expect-error there is no such bucket
await client.GET('/api/v2/data/bucket/others');
await client.GET('/api/v2/beacons');
`,
    );
    const compilerOptions = {
      ...{ target: 'es2022', module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom', 'dom.iterable'] },
      ...{ types: [], strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
    };
    writeFileSync(join(folder, 'tsconfig.own.json'), JSON.stringify({ compilerOptions, files: ['own.ts'] }));
    const { stdout } = await tool('typescript/bin/tsc', ['-p', 'tsconfig.own.json']).catch((error) => error);
    assert.equal(stdout, '');
  });

  for (const generator of ['fetch', 'hey', 'orval'] as const)
    test(`call every operation: ${generator}`, async () => {
      const outfile = join(folder, `${generator}.mjs`);
      const options = ['--bundle', '--format=esm', '--platform=node', `--outfile=${outfile}`, '--log-level=warning'];
      await run(join(tools, 'node_modules/.bin/esbuild'), [`${generator}.ts`, ...options], { cwd: folder });
      const { calls } = (await import(pathToFileURL(outfile).href)) as { readonly calls: readonly GeneratedCall[] };
      const wrong: string[] = [];
      const left = new Set(
        Object.values(document.paths)
          .flatMap((path) => Object.values(path))
          .map((one) => one.operationId),
      );
      for (const { id, path, body, call } of calls) {
        left.delete(id);
        if (notCalled.includes(id) && generator !== 'fetch') continue;
        const { status, data } = await call(await prepare(path, id));
        if (data instanceof ReadableStream) await data.cancel();
        if (ending.includes(id)) person = undefined;
        const isRight = refusals[id] ? status === refusals[id] : status === 200 || status === 201;
        if (!isRight) wrong.push(`${id} with ${body}: ${status} ${JSON.stringify(data)}`);
      }
      assert.deepEqual([wrong, [...left]], [[], []]);
    });

  /** After these the token or the user is gone. */
  const ending: readonly string[] = ['signOut', 'deleteMe', 'deleteUser'];
  let person: Awaited<ReturnType<typeof newPerson>> | undefined;
  async function newPerson() {
    // Signing in has a limit.
    app.clock.now += 60_000;
    const email = `v${app.clock.now}@example.org`;
    const password = 'correct horse';
    const user = await post('/users', { firstname: 'Vera', lastname: 'Visitor', email, password }, {});
    // Also of what only managers write.
    await app.app.users.setUserRole({ appId: app.appId, userId: user }, 'manager');
    const session = await app.send({ method: 'POST', url: '/api/v2/users/signin', body: { email, password } });
    const headers = { ...app.credentials, authorization: `Bearer ${session.body.accessToken}` };
    return { user, email, password, headers };
  }

  /** A signed-in user and a record of every kind in the path, new for each call. */
  async function prepare(path: string, id: string): Promise<Where> {
    if (!person || ending.includes(id)) person = await newPerson();
    const { user, email, password, headers } = person;
    const send = (url: string, body: unknown) => post(url, body, headers);
    const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId });
    const beacon = await send('/beacons', { name: 'b', uuid: 'u', major: 1, minor: 1 });
    const installation = await send('/installations', { installationId: email, deviceType: 'android' });
    const venue = await send('/venues', { name: 'v' });
    const floor = await send('/floors', { venueId: pointer('Venue', venue), name: 'f', level: 5 });
    const ids = { Beacon: beacon, Venue: venue, Floor: floor, _Installation: installation, _User: user };
    const [resource = '', detail] = /^\/api\/v2\/([\w/]+?)\/\{(?:\w+)\}(\/detail)?/.exec(path)?.slice(1) ?? [];
    const seen = async (list: string) => {
      await send('/sightings', { installationId: email, sightings: [{ beacon, event: 'ENTER' }] });
      const answer = await app.send({ method: 'GET', url: `/api/v2/${list}?order=-createdAt&limit=1`, headers });
      return String(answer.body.results[0].objectId);
    };
    const records: Readonly<Record<string, () => Promise<string>>> = {
      users: async () => user,
      floors: async () => floor,
      installations: async () => installation,
      'push/notification': () => send('/push/notification', { data: { alert: 'a' }, sendAt: inAnHour() }),
      visits: () => seen('visits'),
      events: () => seen('events'),
      'data/schema': () => send('/data/schema/birds', { column: { a: { type: 'Number' } } }),
      'data/bucket': () => send('/data/bucket/birds', { metadata: { a: 1 } }),
      files: () => send('/files/a.txt', Buffer.from('text')),
    };
    const made = records[resource] ? {} : await makeExamples(send, `/${resource}`);
    const objectId = (await records[resource]?.()) ?? made[`/${resource}`] ?? 'none';
    const scenario = { beacons: [beacon], campaign: 'TEXT', event: 'ENTER', showOn: [] };
    const detailId = detail ? await send(`/storylines/${objectId}/detail`, scenario) : 'none';
    const file = id === 'uploadFile' ? 'picture.png' : objectId;
    const uuid = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';
    const others = { bucketName: 'birds', channelId: 'none', gatewayId: 'none', surveyId: 'none', tag: 'none', uuid };
    return { headers, ids, email, password, path: { objectId, detailId, file, ...others } };
  }
  const inAnHour = () => new Date(app.clock.now + 3_600_000).toISOString();

  async function post(url: string, body: unknown, headers: Readonly<Record<string, string>>): Promise<string> {
    const type = Buffer.isBuffer(body) ? { 'content-type': 'text/plain' } : {};
    const answer = await app.send({ method: 'POST', url: `/api/v2${url}`, body, headers: { ...headers, ...type } });
    assert.ok(answer.status < 300, `${url} ${JSON.stringify(answer.body)}`);
    const id = (answer.body.result ?? answer.body).objectId ?? String(answer.headers['location']).split('/').at(-1);
    return String(id);
  }

  test('read every list and record with the zod schemas of orval', async () => {
    const outfile = join(folder, 'zod.mjs');
    const options = ['--bundle', '--format=esm', '--platform=node', `--outfile=${outfile}`, '--log-level=warning'];
    await run(join(tools, 'node_modules/.bin/esbuild'), ['orval/zod.ts', ...options], { cwd: folder });
    const schemas = (await import(pathToFileURL(outfile).href)) as Readonly<
      Record<string, { parse(value: unknown): unknown } | undefined>
    >;
    const { headers } = await signIn(app);
    let read = 0;
    for (const [path, methods] of Object.entries(document.paths)) {
      const operation = methods['get'];
      if (!operation || notCalled.includes(operation.operationId)) continue;
      const at = await prepare(path, operation.operationId);
      const url = path.replace(/\{(\w+)\}/g, (_, name: keyof Where['path']) => at.path[name]);
      const own = path.includes('/users/') ? at.headers : headers;
      const answer = await app.send({ method: 'GET', url, headers: own });
      if (answer.status !== 200) continue;
      const { operationId } = operation;
      const schema = schemas[`${operationId.slice(0, 1).toUpperCase()}${operationId.slice(1)}Response`];
      assert.ok(schema, operationId);
      schema.parse(answer.body);
      read++;
    }
    assert.ok(read > 25, String(read));
  });
});
