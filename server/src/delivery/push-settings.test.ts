import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'vitest';
import { Failure } from '../base/errors.ts';
import { apnsDefinition } from './apns/apns.ts';
import { fcmDefinition } from './fcm/fcm.ts';
import type { SenderDefinition } from './push/push-sender.ts';
import { webPushDefinition } from './web-push/web-push.ts';
import { generateVapidKeys } from './web-push/web-push-settings.ts';

const rsa = String(
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'pem', type: 'pkcs8' }),
);
const ec = String(
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' }),
);

const account = {
  type: 'service_account',
  project_id: 'lighthouse-1234',
  private_key_id: 'a1',
  private_key: rsa,
  client_email: 'pharos@lighthouse-1234.iam.gserviceaccount.com',
};
const key = { key: ec, keyId: 'ABC123DEFG', teamId: 'TEAM123456', bundleId: 'com.example.app' };
const vapid = { ...generateVapidKeys(), subject: 'mailto:ops@example.org' };

/** The fields that `read` rejects. */
function problems(definition: SenderDefinition<never>, entered: unknown): string[] {
  try {
    definition.read(entered);
  } catch (error) {
    assert.ok(error instanceof Failure && error.name === 'ValidationError', String(error));
    const told = JSON.stringify([error.message, error.details]);
    for (const secret of [rsa, ec, vapid.privateKey])
      assert.ok(!told.includes(secret.slice(30, 60)), 'a secret is told');
    return error.details.map(({ field }) => field);
  }
  return [];
}

type Case = readonly [name: string, entered: unknown, fields: readonly string[]];

function cases(definition: SenderDefinition<never>, table: readonly Case[]): void {
  for (const [name, entered, fields] of table) {
    test(`${definition.name}: ${name}`, () => assert.deepEqual(problems(definition, entered), fields));
  }
}

describe('settings of senders', () => {
  cases(fcmDefinition as SenderDefinition<never>, [
    ['an object', account, []],
    ['text', JSON.stringify(account), []],
    ['text as a member', { serviceAccount: JSON.stringify(account) }, []],
    ['line ends that are still escaped', { ...account, private_key: rsa.replaceAll('\n', '\\n') }, []],
    ['no JSON', '-----BEGIN PRIVATE KEY-----', ['serviceAccount']],
    ['nothing', null, ['serviceAccount']],
    ['an empty object', {}, ['serviceAccount.project_id', 'serviceAccount.client_email', 'serviceAccount.private_key']],
    ['a key of another kind', { ...account, private_key: ec }, ['serviceAccount.private_key']],
    ['a cut key', { ...account, private_key: rsa.slice(0, 400) }, ['serviceAccount.private_key']],
    ['credentials of another kind', { ...account, type: 'authorized_user' }, ['serviceAccount.type']],
    [
      'a token address elsewhere',
      { ...account, token_uri: 'https://169.254.169.254/token' },
      ['serviceAccount.token_uri'],
    ],
    [
      'a token address that ends alike',
      { ...account, token_uri: 'https://evilgoogleapis.com/' },
      ['serviceAccount.token_uri'],
    ],
    ['a project id that leads elsewhere', { ...account, project_id: 'a/../../b' }, ['serviceAccount.project_id']],
  ]);

  cases(apnsDefinition as SenderDefinition<never>, [
    ['all there', key, []],
    ['for builds from Xcode', { ...key, environment: 'sandbox' }, []],
    ['nothing', {}, ['key', 'keyId', 'teamId', 'bundleId']],
    ['the key of something else', { ...key, key: rsa }, ['key']],
    ['a short key id', { ...key, keyId: 'ABC' }, ['keyId']],
    ['another environment', { ...key, environment: 'test' }, ['environment']],
    ['a bundle id with a line end', { ...key, bundleId: 'com.x\r\ny' }, ['bundleId']],
  ]);

  cases(webPushDefinition as SenderDefinition<never>, [
    ['all there', vapid, []],
    ['padded base64', { ...vapid, publicKey: `${Buffer.from(vapid.publicKey, 'base64url').toString('base64')}` }, []],
    ['an https subject', { ...vapid, subject: 'https://example.org/contact' }, []],
    ['nothing', {}, ['publicKey', 'privateKey', 'subject']],
    ['keys that do not belong together', { ...vapid, publicKey: generateVapidKeys().publicKey }, ['privateKey']],
    ['a short key', { ...vapid, privateKey: 'abcd' }, ['privateKey']],
    ['a subject that is no address', { ...vapid, subject: 'me' }, ['subject']],
  ]);

  test('Web Push makes its own keys, shows the public one and keeps the other', () => {
    const made = webPushDefinition.generate?.() ?? {};
    const settings = webPushDefinition.read({ ...made, subject: 'mailto:ops@example.org' });
    assert.deepEqual(webPushDefinition.summarise(settings), {
      publicKey: made['publicKey'],
      subject: 'mailto:ops@example.org',
    });
  });
});
