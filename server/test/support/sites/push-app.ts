import assert from 'node:assert/strict';
import { service } from '../../../src/access/audit.ts';
import { raw } from '../../../src/base/sql.ts';
import { ScriptedSender } from '../../fakes/scripted-sender.ts';
import { buildApp, type databases, type SignedIn, signInManager, type TestApp } from '../build-app.ts';

/** An app whose pushes go to a sender that does what a test says. */

export const pushUrl = '/api/v2/push/notification';
export const data = { title: 'Tonight', alert: 'Open until 22:00' };
export const hour = 3_600_000;

interface Registration {
  readonly deviceToken?: string;
  readonly channels?: readonly string[];
  readonly deviceType?: string;
  readonly pushType?: string;
}

export interface PushApp {
  readonly app: TestApp;
  readonly user: SignedIn;
  readonly fcm: ScriptedSender;
}

export async function openPushApp(database: (typeof databases)[number]): Promise<PushApp> {
  const fcm = new ScriptedSender();
  const app = await buildApp({ database, senders: [fcm.definition('fcm')] });
  const user = await signInManager(app);
  await app.app.senders.save({ appId: app.appId, kind: 'fcm' }, {}, service);
  return { app, user, fcm };
}

/** Nothing is left of the test before. */
export async function startAgain({ app, fcm }: PushApp): Promise<void> {
  await app.app.idle();
  for (const table of ['pushes', 'jobs', 'deliveries', 'installations'])
    await app.storage.db.run(raw(`delete from ${table}`));
  fcm.calls.length = 0;
  fcm.script = () => ({ outcome: 'sent' });
  // A pace that a test has slowed down has recovered by then.
  app.clock.now += hour;
}

export function pushRequests(opened: () => PushApp) {
  const ask = (request: { method: 'GET' | 'POST'; url: string; body?: object }) =>
    opened().app.send({ ...request, headers: opened().user.headers });
  async function send(body: object): Promise<string> {
    opened().app.clock.now += 1;
    const answer = await ask({ method: 'POST', url: pushUrl, body });
    assert.deepEqual([answer.status, answer.body], [200, { result: { result: true } }]);
    return new URL(String(answer.headers['location']), `http://pharos.test${pushUrl}`).pathname;
  }
  const get = async (path: string) => (await ask({ method: 'GET', url: path })).body.result;
  const deliveries = async (where: object = {}) =>
    (
      await ask({
        method: 'GET',
        url: `/api/v2/deliveries?order=objectId&where=${encodeURIComponent(JSON.stringify(where))}`,
      })
    ).body.results;
  async function register(n: number, registration: Registration = { deviceToken: `token-${n}` }): Promise<string> {
    opened().app.clock.now += 1;
    const body = { installationId: `phone-${n}`, deviceType: 'android', ...registration };
    const answer = await opened().app.send({ method: 'POST', url: '/api/v2/installations', body });
    return answer.body.result.objectId;
  }
  return { ask, send, get, deliveries, register };
}

/** The counts of a push. */
export const counts = ({ audience, queued, sent, failed, expired, noTarget, cancelled }: Record<string, unknown>) => ({
  audience,
  queued,
  sent,
  failed,
  expired,
  noTarget,
  cancelled,
});
export const none = { audience: 0, queued: 0, sent: 0, failed: 0, expired: 0, noTarget: 0, cancelled: 0 };
