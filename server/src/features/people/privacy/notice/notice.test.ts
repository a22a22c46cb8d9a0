import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { defaultPolicy } from '../../../../access/policy.ts';
import type { PrivacyFacts } from './facts.ts';
import { noticeHtml, noticeLanguages, noticeOf, noticeText } from './notice.ts';
import { recordOfProcessing } from './record.ts';

const facts: PrivacyFacts = {
  appName: 'Guide <1>',
  policy: {
    ...defaultPolicy,
    oneZone: true,
    consent: 'required',
    retentionDays: { visits: 11, events: 12, logs: 13 },
    tokenDays: 14,
  },
  webhooks: [{ host: 'crm.museum.example', events: ['visit.opened', 'visit.closed'] }],
  pushServices: ['apns', 'fcm'],
  signInProviders: ['Google'],
  hosts: [
    { holds: 'database', host: 'db.hosting.example' },
    { holds: 'files', host: 's3.hosting.example' },
    { holds: 'mails', host: 'smtp.hosting.example' },
  ],
  hidesFromUsers: false,
  backupDays: 15,
  fixedDays: { shown: 16, track: 17, visitCounts: 18, sightingKeys: 19, webhookDeliveries: 20, hearing: 21 },
};

describe('the privacy notice', () => {
  for (const language of noticeLanguages)
    test(`names every period and every recipient in ${language}`, () => {
      const text = noticeText(noticeOf(facts, language));
      for (const days of [11, 12, 13, 14, 15, 16, 17, 18, 19, 21])
        assert.match(text, new RegExp(`\\b${days} (days|Tage)`));
      for (const { host } of facts.hosts) assert.ok(text.includes(host), host);
      for (const name of ['crm.museum.example', 'visit.closed', 'Apple', 'Google (Firebase', 'Guide <1>'])
        assert.ok(text.includes(name), name);
    });

  test('says where consent is assumed, where nobody else is told, and where backups stay', () => {
    const policy = { ...facts.policy, consent: 'assumed' as const };
    const alone = { ...facts, policy, webhooks: [], pushServices: [], hosts: [], backupDays: 0 };
    const text = noticeText(noticeOf(alone, 'en'));
    assert.match(text, /for everybody who has not refused it/);
    assert.match(text, /no data is passed on/);
    assert.match(text, /until they are deleted by hand/);
    assert.ok(!text.includes('asks before'));
  });

  test('says that an export of oneself is without what rules hide, where they hide something', () => {
    for (const [language, said] of [
      ['en', /without what the app does not show/],
      ['de', /vor ihren Benutzern verbirgt/],
    ] as const) {
      assert.match(noticeText(noticeOf({ ...facts, hidesFromUsers: true }, language)), said);
      assert.doesNotMatch(noticeText(noticeOf(facts, language)), said);
    }
  });

  test('says what second factors and passkeys leave, where there are any', () => {
    const policy = { ...facts.policy, totp: 'optional' as const };
    for (const [language, said] of [
      ['en', /hash of the network/],
      ['de', /Hash des Netzes/],
    ] as const) {
      assert.match(noticeText(noticeOf({ ...facts, policy }, language)), said);
      assert.doesNotMatch(noticeText(noticeOf(facts, language)), said);
    }
    assert.match(recordOfProcessing({ ...facts, policy }, 0), /keys of authenticator apps/);
  });

  test('says how long data with zero retention is kept', () => {
    const retentionDays = { visits: 0, events: 0, logs: 0 };
    const none = { ...facts, policy: { ...facts.policy, retentionDays } };
    for (const [language, said] of [
      [
        'en',
        ['two hours after the visit', 'are kept for at most two hours, log records for at most an hour', 'three hours'],
      ],
      ['de', ['höchstens zwei Stunden lang', 'Protokolleinträge höchstens eine Stunde', 'drei Stunden']],
    ] as const) {
      const text = noticeText(noticeOf(none, language));
      for (const part of said) assert.ok(text.includes(part), part);
      assert.doesNotMatch(text, /\b0 (days|Tage)/);
    }
    assert.match(recordOfProcessing(none, 0), /visits \|[^|]*\| two hours at most/);
  });

  test('has in German as many sections and sentences as in English', () => {
    const shape = (language: 'en' | 'de') =>
      noticeOf(facts, language).sections.map(({ sentences }) => sentences.length);
    assert.deepEqual(shape('de'), shape('en'));
  });

  test('is HTML that an app’s name cannot break', () => {
    const html = noticeHtml(noticeOf(facts, 'en'));
    assert.ok(html.includes('Guide &lt;1&gt;') && !html.includes('<1>'));
  });

  test('goes with a record that has a line for each kind of data', () => {
    const record = recordOfProcessing({ ...facts, appName: 'a | b' }, Date.parse('2026-10-01T09:00:00Z'));
    for (const { host } of facts.hosts) assert.ok(record.includes(`- ${host} (`), host);
    for (const part of ['2026-10-01', '| Analytics | visits |', '11 days', '20 days', 'crm.museum.example (webhook)'])
      assert.ok(record.includes(part), part);
    const rows = record.split('\n').filter((line) => line.startsWith('| '));
    for (const row of rows) assert.equal(row.split(/(?<!\\)\|/).length, 6, row);
  });
});
