import assert from 'node:assert/strict';
import { PharosError } from '@pharos/sdk';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { applyRows, type RowOutcome } from '../../src/components/import/import-rows.ts';
import { newMessage } from '../../src/features/messages/message.ts';
import { createMessage } from '../../src/features/messages/message-store.ts';
import { forgetFile, keepFile, keptFile } from '../../src/lib/actions/kept-file.ts';
import { signingIn, withSession } from '../../src/lib/data/signing-in.ts';
import { setWhosePage } from '../../src/lib/data/whose-page.ts';

/** What waits in the browser's database has no types here. */
const round: string = '../../src/features/venues/round/send.ts';

/** Work of several steps, in the middle of which the session ends or becomes somebody else's. */

const lost = () => new PharosError('Sign in again.', { name: 'InvalidSessionToken', code: 209, status: 403 });

describe('a session that ends in the middle', () => {
  /** How often was asked, and what a person answers. */
  let asked = 0;
  let answer = true;
  let stop: () => void;
  beforeEach(() => {
    asked = 0;
    answer = true;
    stop = signingIn.subscribe(() => {
      if (!signingIn.isAsked()) return;
      asked++;
      queueMicrotask(() => signingIn.answer(answer));
    });
  });
  const known = globalThis.fetch;
  afterEach(() => {
    stop();
    globalThis.fetch = known;
    setWhosePage(undefined);
  });

  const rows = [1, 2, 3, 4, 5, 6].map((line) => ({ line, kind: 'new' as const, name: '', differences: [] }));
  /** Refuses the third row until somebody has signed in again. */
  async function importRows() {
    const sent: number[] = [];
    const outcomes = new Map<number, RowOutcome>();
    const apply = async ({ line }: { readonly line: number }) => {
      if (line >= 3 && (asked === 0 || !answer)) throw lost();
      sent.push(line);
    };
    const note = (fresh: ReadonlyMap<number, RowOutcome>) => {
      for (const [line, outcome] of fresh) outcomes.set(line, outcome);
    };
    const error = await applyRows(rows, apply, note).then(
      () => undefined,
      (error: unknown) => error as PharosError,
    );
    return { sent: sent.sort(), outcomes, error };
  }

  test('an import goes on after signing in again, and sends no row twice', async () => {
    const { sent, outcomes, error } = await importRows();
    assert.deepEqual([sent, outcomes.size, error, asked], [[1, 2, 3, 4, 5, 6], 6, undefined, 1]);
  });

  test('an import of somebody who does not sign in again stops; no row counts as refused, and it is asked once', async () => {
    answer = false;
    const { sent, outcomes, error } = await importRows();
    assert.deepEqual([sent, [...outcomes.values()], error?.name], [[1, 2], ['done', 'done'], 'InvalidSessionToken']);
    assert.equal(asked, 1);
  });

  test('whoever has declined in one step is not asked again for the whole', async () => {
    answer = false;
    const step = () => withSession(() => Promise.reject(lost()));
    await assert.rejects(withSession(step), { name: 'InvalidSessionToken' });
    assert.equal(asked, 1);
  });

  const json = (status: number, body: object) =>
    new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
  const refused = () =>
    json(403, { error: { code: 209, name: 'InvalidSessionToken', error: 'Sign in again.' }, status: 403 });

  test('a message at several places is not begun twice', async () => {
    const made: string[] = [];
    const time = '2026-05-04T09:30:00.000Z';
    globalThis.fetch = async (url) => {
      const path = String(url).replace(/^.*\/v2/, '');
      if (path.endsWith('/detail') && asked === 0) return refused();
      made.push(path);
      return json(201, { result: { objectId: 'new', createdAt: time } });
    };
    const fields = { ...newMessage(), alertTitle: 'Birds', beacons: ['pond', 'hedge'] };
    await withSession(() => createMessage('app', fields, { idempotencyKey: 'key' }));
    assert.deepEqual([made.length, asked], [2, 1], made.join());
  });

  test('what waits of an install round is no problem of the beacon, when somebody else has signed in', async () => {
    const another = { code: 140, name: 'SignedInAsAnother', error: 'Somebody else has signed in.' };
    globalThis.fetch = async () => json(409, { error: another, status: 409 });
    const waiting = { appId: 'app', venueId: 'v', beacon: { objectId: 'b' }, location: { x: 1, y: 1, floor: 0 } };
    const { send } = (await import(round)) as { send: (one: object) => Promise<unknown> };
    await assert.rejects(send(waiting), { name: 'SignedInAsAnother' });
  });

  test('a chosen file is shown to nobody else who goes on in the tab', () => {
    const kept = new Map<string, string>();
    const sessionStorage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, text: string) => void kept.set(key, text),
      removeItem: (key: string) => void kept.delete(key),
    };
    const before = Object.getOwnPropertyDescriptor(globalThis, 'sessionStorage');
    Object.defineProperty(globalThis, 'sessionStorage', { value: sessionStorage, configurable: true });
    try {
      setWhosePage('ana');
      keepFile('import', { name: 'beacons.csv', text: 'name' });
      assert.deepEqual(keptFile('import'), { name: 'beacons.csv', text: 'name' });
      setWhosePage('ben');
      assert.equal(keptFile('import'), undefined);
      setWhosePage('ana');
      assert.equal(keptFile('import')?.name, 'beacons.csv');
      // By an earlier version.
      kept.set('import', JSON.stringify({ name: 'old.csv', text: 'name' }));
      assert.equal(keptFile('import')?.name, 'old.csv');
      forgetFile('import');
      assert.equal(keptFile('import'), undefined);
      // There is no room for another one: the former is not taken for it.
      keepFile('import', { name: 'beacons.csv', text: 'name' });
      sessionStorage.setItem = () => {
        throw new Error('full');
      };
      keepFile('import', { name: 'more.csv', text: 'name' });
      assert.equal(keptFile('import'), undefined);
    } finally {
      if (before) Object.defineProperty(globalThis, 'sessionStorage', before);
      else Reflect.deleteProperty(globalThis, 'sessionStorage');
    }
  });
});
