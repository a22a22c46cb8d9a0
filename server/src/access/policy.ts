import { type Static, Type } from 'typebox';
import { translatedMembers } from '../delivery/push/translations.ts';
import { deliveryRulesSchema } from './delivery-rules.ts';
import { legacyDefaults } from './rules/presets.ts';
import type { Preset } from './rules/rule-types.ts';

const perUser = (maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum, description }));

const consentText = Type.Optional(
  Type.String({ maxLength: 2_000, description: 'What visitors are asked for this purpose' }),
);
const consentWording = { messages: consentText, analytics: consentText, identity: consentText };

/**
 * What an app's owner decides in the console. Each member defaults to the value in the specification, so `{}` in the
 * database is a complete policy.
 */
export const policySchema = Type.Object({
  listUsers: Type.Enum(['app', 'user', 'manager', 'nobody'], {
    description:
      'Who may list users: everyone with the app key (the specified default), signed-in users, managers, or nobody.',
  }),
  push: Type.Enum(['user', 'manager', 'nobody'], { description: 'Who may send push notifications.' }),
  readContent: Type.Enum(['user', 'app'], {
    description: 'Who may read beacons, notifications and storylines: signed-in users, or everyone with the app key.',
  }),
  writeContent: Type.Enum(['user', 'manager', 'nobody'], {
    description: 'Who may write beacons, notifications, storylines and schemas.',
  }),
  uploadNeedsUser: Type.Boolean({ description: 'Whether an upload needs a signed-in user.' }),
  deviceNeedsUser: Type.Boolean({ description: 'Whether registering a device needs a signed-in user.' }),
  installationProof: Type.Enum(['offered', 'required'], {
    description:
      'Whether a new installation needs a secret of its phone, which then proves what comes from it, or only may have one.',
  }),
  tokenDays: Type.Integer({
    minimum: 1,
    maximum: 3650,
    description: 'Days after its last use until an access token expires, or with refresh tokens the session.',
  }),
  tokenMinutes: Type.Integer({
    minimum: 1,
    maximum: 1440,
    description: 'Minutes until an access token expires that comes with a refresh token.',
  }),
  passwordMinLength: Type.Integer({
    minimum: 4,
    maximum: 50,
    description: 'The shortest password that sign-up accepts.',
  }),
  timeZone: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'IANA time zone of the venue, for schedules and statistics.',
  }),
  rateLimit: Type.Object(
    {
      enabled: Type.Boolean(),
      perSecond: Type.Number({ minimum: 0.1, maximum: 1_000_000 }),
      burst: Type.Integer({ minimum: 1, maximum: 10_000_000 }),
    },
    { description: 'Requests a second, and at once, for one client address.' },
  ),
  quotas: Type.Object(
    {
      files: Type.Integer({ minimum: 0, maximum: 1e9, description: 'Number of files' }),
      fileBytes: Type.Integer({ minimum: 0, maximum: 1e15, description: 'Size of all files together, in bytes' }),
      records: Type.Integer({ minimum: 0, maximum: 1e12, description: 'Number of records in all buckets' }),
      recordBytes: Type.Integer({
        minimum: 0,
        maximum: 1e15,
        description: 'Size of all documents together, in bytes',
      }),
      filesPerUser: perUser(1e9, 'Files of one user. Absent: as many as the app may have'),
      fileBytesPerUser: perUser(1e15, 'Bytes of all files of one user'),
      recordsPerUser: perUser(1e12, 'Records of one user, in all buckets'),
      recordBytesPerUser: perUser(1e15, 'Bytes of all documents of one user'),
      uploadsPerHour: Type.Integer({ minimum: 1, maximum: 1e9, description: 'Per client address and per user' }),
      uploadBytesPerHour: Type.Integer({ minimum: 1, maximum: 1e15, description: 'Per client address and per user' }),
      pushesPerHour: Type.Integer({
        minimum: 1,
        maximum: 1e9,
        description:
          'By all ordinary users of the app together; half of it per user and per client address. Half may be sent at ' +
          'once. Managers have a separate allowance of the same size. Pushes from the console do not count.',
      }),
    },
    {
      description:
        'How much the app may store, how much of it one user may, and how much clients may add in an hour. Managers, secret keys ' +
        'and the console have the quotas of the app. The hourly limits need rateLimit.enabled.',
    },
  ),
  passwordResetUrl: Type.String({
    maxLength: 2000,
    description:
      "Address of the app's own reset page; the mail links to it with ?token=. Empty: the page of this service.",
  }),
  emailVerification: Type.Enum(['off', 'optional', 'required'], {
    description:
      'Whether sign-ups and new e-mail addresses get a mail that asks to confirm the address, and whether a password signs in before that was done.',
  }),
  verificationUrl: Type.String({
    maxLength: 2000,
    description:
      "Address of the app's own page to confirm an e-mail address; the mail links to it with ?token=. Empty: the page of this service.",
  }),
  signInLinkUrl: Type.String({
    maxLength: 2000,
    description:
      'Address that opens the app; mails that sign in link to it with ?token=. Empty: nobody signs in by mail.',
  }),
  pairingUrl: Type.String({
    maxLength: 2000,
    description:
      "Address that opens the app on a phone; the QR code that pairs an editor's phone leads to it with ?code=. Empty: the QR code has the code alone, for an app that scans it.",
  }),
  totp: Type.Enum(['off', 'optional', 'required'], {
    description:
      'Whether users may protect their account with an authenticator app, or have to. Off: none is asked for. Required shuts out sessions that were begun without one.',
  }),
  passkeys: Type.Object(
    {
      enabled: Type.Boolean(),
      rpId: Type.String({
        maxLength: 253,
        description:
          'The host name to which passkeys are bound, such as museum.example. With another one they no longer work.',
      }),
      origins: Type.Array(Type.String({ maxLength: 300 }), {
        maxItems: 20,
        description:
          'The pages and apps that may ask for a passkey: https://… of a page or an iOS app below rpId, or android:apk-key-hash:… of an Android app.',
      }),
    },
    { description: 'Whether users may sign in with passkeys, and where.' },
  ),
  selfErasure: Type.Enum(['session', 'fresh'], {
    description:
      'Whether users erase their own account with any session, or only within ten minutes of signing in. Tokens of other issuers have no session here, and always do.',
  }),
  sensitivity: Type.Enum(['stable', 'fast'], {
    description:
      'How sure the engine has to be that somebody has entered: stable gives few false events, fast notices short passes. A beacon can override it.',
  }),
  oneZone: Type.Boolean({
    description:
      'Whether beacons are decided together: a visitor is at one beacon at a time, the likeliest, and where beacons have a location (in metres) also at a position.',
  }),
  approval: Type.Object(
    {
      enabled: Type.Boolean(),
      above: Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: 'Recipients to whom one person alone may send',
      }),
    },
    { description: 'Whether a push to more than this many installations waits until a second person has approved it.' },
  ),
  pushTimeToLive: Type.Integer({
    minimum: 10,
    maximum: 86_400,
    description: 'Seconds after which a proximity message is no longer shown.',
  }),
  consent: Type.Enum(['assumed', 'required'], {
    description:
      'What holds for a purpose (messages, analytics, identity) about which an installation has said nothing: assumed lets it be, required does not. What a visitor has refused is refused either way.',
  }),
  consentTexts: Type.Object(
    {
      version: Type.String({
        maxLength: 64,
        description: 'What phones send as textVersion with the answer; another one for each change of meaning',
      }),
      ...consentWording,
      ...translatedMembers(consentWording, 'the texts'),
    },
    { description: 'What the app asks visitors, for each purpose. Phones get it with the bundle.' },
  ),
  smallGroups: Type.Enum(['shown', 'protected'], {
    description:
      'Whether analytics tell how many visitors there were even if they were few, or 1 to 4 only as a group and everything else in fives after some noise. Protected without a decision where consent is required or the app has the preset for visitors.',
  }),
  pseudonyms: Type.Enum(['none', 'daily'], {
    description:
      'How visits, events and everything else that shows where a phone was name it to everybody but its own user: by its objectId, or by a pseudonym that changes every day. What is recorded while it is daily stays so.',
  }),
  polite: Type.Boolean({
    description:
      'The polite preset: 15 minutes between two of a kind, 3 messages a day for one visitor, quiet from 22:00 to 08:00.',
  }),
  delivery: deliveryRulesSchema,
  retentionDays: Type.Object(
    {
      logs: Type.Integer({ minimum: 0, maximum: 36_500 }),
      visits: Type.Integer({ minimum: 0, maximum: 36_500 }),
      events: Type.Integer({ minimum: 0, maximum: 36_500 }),
      deliveries: Type.Optional(Type.Integer({ minimum: 0, maximum: 36_500 })),
      positions: Type.Optional(Type.Integer({ minimum: 0, maximum: 36_500 })),
    },
    {
      description:
        'Days for which logs, visits, events with their verdicts, deliveries and last positions are kept. 0: logs and positions until the next hour, visits (once they have ended), events and deliveries for two hours at most; numbers of visits stay right. What deliveries and positions do not say is that of events.',
    },
  ),
});

export type AppPolicy = Static<typeof policySchema>;

export const defaultPolicy: AppPolicy = Object.freeze({
  ...legacyDefaults.specification,
  tokenDays: 30,
  tokenMinutes: 15,
  passwordMinLength: 4,
  timeZone: 'UTC',
  rateLimit: Object.freeze({ enabled: true, perSecond: 100, burst: 1000 }),
  quotas: Object.freeze({
    files: 100_000,
    fileBytes: 21_474_836_480,
    records: 10_000_000,
    recordBytes: 21_474_836_480,
    uploadsPerHour: 600,
    uploadBytesPerHour: 1_073_741_824,
    pushesPerHour: 120,
  }),
  passwordResetUrl: '',
  emailVerification: 'off',
  verificationUrl: '',
  signInLinkUrl: '',
  pairingUrl: '',
  totp: 'off',
  passkeys: Object.freeze({ enabled: false, rpId: '', origins: [] }),
  selfErasure: 'session',
  sensitivity: 'stable',
  oneZone: false,
  approval: Object.freeze({ enabled: false, above: 1000 }),
  pushTimeToLive: 120,
  consent: 'assumed',
  consentTexts: Object.freeze({ version: '' }),
  installationProof: 'offered',
  smallGroups: 'shown',
  pseudonyms: 'none',
  polite: false,
  delivery: Object.freeze({}),
  retentionDays: Object.freeze({ logs: 365, visits: 365, events: 30 }),
});

/**
 * What a new app begins with beyond the defaults, which are also those of apps that are older than a setting. Another preset
 * of the rules later changes none of it: phones whose app does not know of consent or secrets would fall silent.
 */
export const newAppPolicy: Readonly<Record<Preset, Partial<AppPolicy>>> = Object.freeze({
  specification: Object.freeze({ oneZone: true }),
  visitors: Object.freeze({
    oneZone: true,
    consent: 'required',
    installationProof: 'required',
    selfErasure: 'fresh',
    quotas: Object.freeze({
      ...defaultPolicy.quotas,
      filesPerUser: 1_000,
      fileBytesPerUser: 1_073_741_824,
      recordsPerUser: 100_000,
      recordBytesPerUser: 268_435_456,
    }),
  }),
});

/** How many days each kind is kept. */
export function periodsOf({ retentionDays }: Pick<AppPolicy, 'retentionDays'>) {
  const { events } = retentionDays;
  return { deliveries: events, positions: events, ...retentionDays };
}

/** The complete policy of an app. A stored one may lack members that were added later. */
export function readPolicy(stored: string, preset: Preset = 'specification'): AppPolicy {
  const given = JSON.parse(stored) as Partial<AppPolicy>;
  return Object.freeze({
    ...defaultPolicy,
    ...legacyDefaults[preset],
    smallGroups: preset === 'visitors' || given.consent === 'required' ? 'protected' : 'shown',
    ...given,
    quotas: { ...defaultPolicy.quotas, ...given.quotas },
  });
}
