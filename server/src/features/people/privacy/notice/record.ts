import { isForgetful } from '@pharos/engine/decide';
import { periodsOf } from '../../../../access/policy.ts';
import type { PrivacyFacts, PushService, StorageHost } from './facts.ts';

/** The record of processing activities (Article 30 of the GDPR) as Markdown, for the organisation to complete. */

/** Of what is not gone within the hour when it is kept for no day. */
const until = (count: number) => (count === 0 ? 'two hours at most' : days(count));
const days = (count: number) => (count === 0 ? 'an hour at most' : count === 1 ? '1 day' : `${count} days`);

const recipients: Readonly<Record<PushService, string>> = {
  fcm: 'Google (Firebase Cloud Messaging): push address, message',
  apns: 'Apple (Apple Push Notification service): push address, message',
  webpush: 'the push service of the visitor’s browser: push address, encrypted message',
  mqtt: 'the message broker that is set up: address of the device, message',
};

const held: Readonly<Record<StorageHost['holds'], string>> = {
  database: 'database: everything that is kept',
  files: 'files of the app',
  mails: 'mail server: e-mail address, text of the mail',
};

/** A line of a table must not end at a character of the text. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export function recordOfProcessing(facts: PrivacyFacts, now: number): string {
  const { appName, policy, webhooks, pushServices, signInProviders, hosts, backupDays, fixedDays } = facts;
  const { visits, events, logs, deliveries, positions } = periodsOf(policy);
  const basis =
    policy.consent === 'required'
      ? 'consent (Article 6(1)(a)); the app asks first'
      : 'to be stated by the house: the app’s policy assumes that visitors agree until they refuse';
  const rows: readonly (readonly [string, string, string, string])[] = [
    ['Messages at places', 'present whereabouts of the phone', basis, `${days(fixedDays.track)} after it fell silent`],
    ['Messages at places', 'what the phone was shown', basis, days(fixedDays.shown)],
    ['Messages at places', 'deliveries of pushes', basis, until(deliveries)],
    [
      'Messages at places',
      'push address, kind and model of phone, language, time zone, app version',
      basis,
      'until the installation is deleted',
    ],
    ['Analytics', 'visits', basis, until(visits)],
    ['Analytics', 'events and verdicts', basis, until(events)],
    ['Analytics', 'log records', basis, days(logs)],
    [
      'Analytics',
      'samples of signals',
      basis,
      isForgetful(policy) ? 'three hours at most' : `${days(fixedDays.track)} after the phone fell silent`,
    ],
    ['Analytics', 'number of visits at a beacon', basis, `${days(fixedDays.visitCounts)} without a visit`],
    ['Analytics', 'that a signal was counted', basis, days(fixedDays.sightingKeys)],
    ...(policy.oneZone
      ? ([
          ['Analytics', 'last position in the building', basis, days(positions)],
          ['Analytics', 'how well a phone hears beacons', basis, `${days(fixedDays.hearing)} after its last visit`],
        ] as const)
      : []),
    [
      'Statistics',
      'signals by beacon and hour, of visitors who have not agreed (no personal data)',
      'none needed',
      days(Math.max(visits, 1)),
    ],
    [
      'Accounts',
      'name, e-mail address, country, phone number, what the app notes',
      'to be stated by the house',
      'until the account is deleted',
    ],
    ['Accounts', 'sign-ins', 'to be stated by the house', `${days(policy.tokenDays)} after the last use`],
    ...(policy.totp === 'off' && !policy.passkeys.enabled
      ? []
      : [
          [
            'Accounts',
            'keys of authenticator apps and passkeys, last use, a hash of the network of the last right code',
            'to be stated by the house',
            'until it is removed',
          ] as const,
        ]),
    ['Proof of consent', 'decisions with time and text version', 'Article 7(1)', 'until the installation is deleted'],
    ['Calls of webhooks', 'what was sent', 'as for what is sent', days(fixedDays.webhookDeliveries)],
  ];
  const recipientLines = [
    ...webhooks.map(
      ({ host, events }) =>
        `${host} (webhook): ${events.join(', ')}, with ${policy.pseudonyms === 'daily' ? 'a pseudonym of the phone that changes every day' : 'the id of the phone'}`,
    ),
    ...pushServices.map((service) => recipients[service]),
    ...hosts.map(({ holds, host }) => `${host} (${held[holds]}), if somebody else runs it`),
    ...signInProviders.map((name) => `${name} (sign-in): that somebody signs in`),
  ];
  return `${[
    `# Record of processing activities: ${appName}`,
    `Written from the settings of the service on ${new Date(now).toISOString().slice(0, 10)}. What only the house knows is marked with ….`,
    '## Controller\n\n- Name and address: …\n- Representative: …\n- Data protection officer: …',
    '## Data subjects\n\nVisitors who use the app, with or without an account.',
    `## Purposes, data, periods\n\n| Purpose | Data | Legal basis | Kept for |\n| --- | --- | --- | --- |\n${rows
      .map((row) => `| ${row.map(cell).join(' | ')} |`)
      .join('\n')}`,
    `## Recipients\n\n${recipientLines.length === 0 ? 'None.' : recipientLines.map((one) => `- ${one}`).join('\n')}\n\nTransfers to third countries and their safeguards: …`,
    `## Backups\n\n${
      backupDays === 0
        ? 'Backups of the service are kept until somebody deletes them.'
        : `Backups of the service are deleted after ${days(backupDays)}.`
    } Copies elsewhere: …`,
    [
      '## Technical and organisational measures',
      '- Passwords, keys and tokens are stored as hashes, credentials of push services encrypted.',
      '- Administrators have roles; second factors can be required. Each of their changes is recorded.',
      '- A refusal takes effect at once. Exports and erasures take the same list, and an erasure leaves a receipt.',
      ...(policy.pseudonyms === 'daily'
        ? [
            '- Visits, events and messages name a phone to others than its own user by a pseudonym that changes every day.',
          ]
        : []),
      '- A restored backup erases again whoever was erased after it was made.',
      '- Encryption of connections and disks, access to the machine: …',
    ].join('\n'),
  ].join('\n\n')}\n`;
}
