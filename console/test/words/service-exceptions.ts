/** Texts in the service's source that no screen of the console shows, with the reason: by file, or as they are. */

interface Exception {
  readonly reason: string;
  readonly files?: readonly RegExp[];
  readonly texts?: readonly (string | RegExp)[];
}

const server = (...paths: readonly string[]) => paths.map((path) => new RegExp(`^server/src/(?:${path})`));

export const serviceExceptions: readonly Exception[] = [
  {
    reason: 'for a terminal, and for the log when the service starts',
    files: server(
      'cli/',
      'main\\.ts',
      'config/',
      'features/data/files/place/folder',
      'backup/app-archive',
      'features/operate/apps/arrival',
    ),
    texts: ['This is an archive of one app, not a backup. Import it with pharos import.'],
  },
  { reason: 'the words of a museum that does not exist, in English as its app is', files: server('demo/') },
  {
    reason: 'mails, and pages for visitors who follow a link of one',
    files: server(
      'features/\\S*mails\\.ts',
      'features/insights/reports/(content/|compose|address-page)',
      'features/people/mail-links/',
      'features/people/users/(password-reset|reset-page)',
      'sign-in/(change-mail|form-page|link-mail|page-words)',
    ),
  },
  { reason: 'the names of push services, the same in every language', texts: ['Google (FCM)', 'Apple (APNs)'] },
  { reason: 'the names of calls in traces', texts: ['push POST', 'webhook POST'] },
  { reason: 'the name of a lock', texts: [/^(webhooks|identity providers) \{0\}$/] },
  {
    reason: 'a description in the document of the interface',
    texts: [/^null: there are fewer than \{0\} days like it/, 'As the list has it', 'With or without dashes'],
  },
  {
    reason: 'the notice about privacy, which has languages of its own, and its export',
    files: server('features/people/privacy/'),
  },
  {
    reason: 'the handbook, the document of the interface and figures for machines',
    files: server('http/(openapi|handbook|metrics|health)'),
  },
  {
    reason: 'said to apps, agents, gateways and devices, which show no console',
    files: [
      ...server(
        'features/own-metadata',
        'features/presence/sightings/(read|lock|decide|record|answer|site|places)/',
        'features/places/beacons/regions/',
        'delivery/push/options',
        'features/messages/push/live/',
        'features/presence/sightings/(service|pipeline|ticker)',
        'features/presence/live/(?!routes)',
        'features/presence/logs/',
        'features/presence/gateways/(?!state-route)',
        'features/presence/bundle/',
        'features/presence/fleet/routes',
        'features/(telemetry|near)',
      ),
      /^packages\/gateways\/src\//,
      ...server(
        'sign-in/(oidc/id-token|sign-in-answer)',
        'features/people/identities/(service|routes)',
        'features/people/second-factors/',
      ),
      ...server(
        'features/people/users/(sessions|self-routes|session-routes|accounts)',
        'features/people/installations/(service|resource|routes|refusals|sensing/report)\\.ts',
      ),
      ...server(
        'access/(access|installation-proof|keys/secret-key|audit|tables)',
        'limits/idempotency',
        'http/api\\.ts',
        'http/grants',
        'http/mcp/',
      ),
      ...server('delivery/mqtt/mqtt-(attempts|device-broker|connection)', 'features/places/devices/device-router'),
      /^packages\/engine\/src\/wire\//,
      /^sdk\/src\/(?!call|error|sensing\/findings)/,
    ],
    texts: [
      /^list must be the path of a list below/,
      'Send either list or kinds.',
      /^A list is followed from its beginning: /,
      'after and Last-Event-ID must be an id that the stream of a list has sent.',
      /^The e-mail address or the password is wrong, or the address has not been confirmed/,
      'The venue still has floors or beacons. Move or delete them first.',
      'On this floor there are still zones or beacons. Move or delete them first.',
      'level: there is a floor at this level of the venue already.',
      'Somebody else has signed in since. Nothing was sent.',
      // The audit shows it as it is.
      '{0}, agent {1}',
    ],
  },
  {
    reason:
      'mistakes of the program and of its surroundings, which are in the log: the caller reads that something went wrong',
    files: [
      /^packages\/engine\/src\/simulation\//,
      /^packages\/query\/src\/(regex\/regex-(ranges|parse)|to-sql)/,
      ...server(
        'db/(?!storage-error)',
        'app/',
        'features/(services|people/makers)\\.ts',
        'features/places/devices/port',
        'limits/storage/database-watch',
        'blobs/(s3-address|s3\\.ts|s3-parts|s3-reading|disk\\.ts|blob-store|s3-client)',
        'base/(sql|secrets|passwords|foreign-passwords)',
        'delivery/provider/issuer-clock',
        'backup/(tables|marker|write|in-place|lost)',
        'jobs/(?!worker)',
        'resources/(table|list|narrow|past|members/render)',
        'features/operate/apps/rules/dry-run',
        'access/rules/dry-run',
        'http/server/(server|request-counts)',
      ),
    ],
    texts: [
      'The day of {0} in app {1} has no pseudonyms.',
      'No member shows the column {0}, which says of which day a record is.',
      'There is no operation {0}.',
      'on conflict do nothing',
      '{0} is not for the console',
      /^The state of counting/,
    ],
  },
  {
    reason: 'work in the background, for the log',
    texts: [
      /^(sweeping|forgetting|purging|learning|storing|counting|noting|looking|giving|claiming|ending|renewing|keeping|comparing|removing|deleting|opening|closing|accepting|checking|taking|sending) /,
      /^job \{0\}/,
      /^the (disk|database server)( is full: | has room again)/,
      'single sign-on with {0}: {1}',
      'the service stops',
      'the message has to wait',
      'some recipients have to wait',
      'the encryption thread has ended',
      'this version knows no provider {0}',
    ],
  },
  {
    reason: 'names of limits, of conditions and of rows',
    texts: [
      'administrator {0}',
      /^(confirm|join|add|admin|Pharos|reset|account|guess|guesses|new|mail|mails|notice|ask|page|user|key|quota|approval|sensing|replaces|refused|crowded|reports|samples|tag|beacon|webhook|sender|pairing|uploads|bytes|pushes|password|totp|factor|issuer|url|Bearer|bearer) \{0\}/,
      /^(report (looks|sendings|mails?)|sso provider|pushes of managers) \{0\}$/,
      /^\{0\} (key|user) \{1\}$/,
      /^backup (failed|old|drill)$/,
      ...[
        '{0} totp',
        'factor {0} known',
        'key app',
        'sign in',
        'unknown account',
        'updated_at doc',
        'openid email profile',
      ],
      ...[
        'bucket {0}',
        'address {0}',
        'credentials test',
        'Ada Lovelace',
        'First passkey',
        'push notification',
        'scenarios of a storyline',
        'of a webhook that was deleted',
      ],
    ],
  },
  {
    reason: 'headers, keys of encryption and what is between words',
    texts: [
      /^(text|application)\/\S+; charset/,
      /^(WebPush|Content-Encoding): /,
      /^(private, max-age|sandbox; )/,
      /Path=\/; HttpOnly/,
      /^vapid t=/,
      '{0}… ({1} characters)',
      '{0} and {1}',
      'samples {0}',
    ],
  },
  {
    reason: 'the document of the interface',
    files: server('features/operate/webhooks/schemas'),
    texts: [
      /^The (objectId|name) of the /,
      /^(Last month unless|What messages led to|A tour is|Where small groups are protected, ways|Where the role holds|With its extension)/,
      ...['Data buckets', 'Image for Android', 'Image for iOS', 'Web page'],
    ],
  },
  {
    reason: 'names of products',
    texts: [
      'Web Push',
      'Firebase Cloud Messaging',
      'Apple Push Notification service',
      'MQTT broker',
      'FCM 200 without a message name: {0}',
    ],
  },
  {
    reason: 'parts of sentences, which the catalogues have with what goes with them (service-composed.ts)',
    texts: [
      ...[
        'is there',
        'is missing',
        'is one of {0}',
        'is none of {0}',
        'has all of {0}',
        'is not',
        'is less than',
        'is at most',
      ],
      ...[
        'is more than',
        'is at least',
        'with the options',
        'it is not so that',
        'anyone with the app can',
        'anyone who signs up can',
      ],
      ...[
        'who got it',
        'who got {0}',
        'who did not get it',
        /^Of \{0\} \{1\} \{2\} reached the goal/,
        'The push service answered',
      ],
      ...['hear at once what happens to', '{0} {1} bucket', '{0} {1} buckets', 'log records', 'push notifications'],
    ],
  },
];
