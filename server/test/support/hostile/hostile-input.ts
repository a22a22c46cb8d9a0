import assert from 'node:assert/strict';
import { buildApp, type databases, type SignedIn, signIn, type TestApp } from '../build-app.ts';
import { exchange, head, listen, type RawAnswer } from '../socket.ts';

/** Requests that break the rules of HTTP, JSON or the where-language, sent byte by byte over a real connection. */

export type Header = readonly [string, string];
/** [description, request, status, code] */
export type Row = readonly [what: string, request: string | Buffer, status: number, code: number];

const internals =
  /node_modules|\.[jt]s\b|\n\s+at |:\d+:\d+\)|\bselect .+ from |\binsert into |SQLITE|syntax error|pharos-test|\/tmp\/|\/home\/|stack|undefined|\[object/i;

/** The body of every error: exactly these members, and nothing that only the service should know. */
export function assertErrorAnswer(answer: RawAnswer, what: string): void {
  const { error, code, ...more } = answer.body;
  const text = `${what}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 400)}`;
  assert.deepEqual(more, {}, text);
  const { details, ...members } = error;
  assert.deepEqual(Object.keys(members), ['code', 'error', 'name', 'status', 'requestId'], text);
  assert.equal(error.code, code, text);
  assert.equal(error.status, answer.status, text);
  assert.match(error.error, /^.{10,}\.$/su, text);
  assert.equal(error.requestId, answer.headers['x-request-id'], text);
  assert.ok(error.requestId.length > 5, text);
  if (details !== undefined) {
    assert.ok(details.length > 0, text);
    for (const detail of details) assert.deepEqual(Object.keys(detail), ['field', 'problem'], text);
  }
  assert.doesNotMatch(JSON.stringify(answer.body), internals, text);
  assert.equal(answer.headers['cache-control'], 'no-store', text);
  assert.match(answer.headers['content-type'] ?? '', /^application\/json/, text);
}

export interface HostileApp {
  readonly app: TestApp;
  readonly user: SignedIn;
  readonly port: number;
  readonly credentials: readonly Header[];
  readonly signedIn: readonly Header[];
}

export async function openHostile(database: (typeof databases)[number]): Promise<HostileApp> {
  const app = await buildApp({ database });
  const user = await signIn(app);
  await app.app.buckets.createBucket(app.appId, 'birds');
  const port = await listen(app);
  const credentials = Object.entries(app.credentials);
  return { app, user, port, credentials, signedIn: [...credentials, ['Authorization', `Bearer ${user.token}`]] };
}

export const json: Header = ['Content-Type', 'application/json'];
export const documents = 'POST /api/v2/data/bucket/birds';

/** Requests of somebody who is signed in. */
export function hostileRequests(opened: () => HostileApp) {
  const request = (line: string, headers: readonly Header[] = [], as = opened().signedIn) =>
    head(line, [...as, ...headers]);
  const withBody = (line: string, body: string | Buffer, headers: readonly Header[] = [json]) =>
    Buffer.concat([
      Buffer.from(request(line, [...headers, ['Content-Length', String(Buffer.byteLength(body))]])),
      Buffer.from(body),
    ]);
  const ask = (bytes: string | Buffer) => exchange(opened().port, bytes);
  const get = (path: string) => ask(request(`GET /api/v2${path}`));

  async function assertRows(rows: readonly Row[]): Promise<void> {
    for (const [what, bytes, status, code] of rows) {
      const answer = await ask(bytes);
      assert.deepEqual(
        [answer.status, answer.body.code],
        [status, code],
        `${what}: ${JSON.stringify(answer.body).slice(0, 300)}`,
      );
      assertErrorAnswer(answer, what);
    }
  }

  return { request, withBody, ask, get, assertRows };
}

/** Closes it, after a look at whether it was harmed. */
export async function closeHostile(opened: HostileApp): Promise<void> {
  try {
    await assertUnharmed(opened);
  } finally {
    await opened.app.close();
  }
}

/** It had no error of its own, and still works. */
export async function assertUnharmed({ app, port }: HostileApp): Promise<void> {
  assert.equal((await exchange(port, head('GET /readyz', []))).status, 200);
  assert.deepEqual(
    app.log.filter((line) => /"level":(50|60)/.test(line)),
    [],
  );
}
