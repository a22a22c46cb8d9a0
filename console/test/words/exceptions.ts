/** Words in the console's source that stay as they are in every language, with the reason. */
export const exceptions: readonly (readonly [reason: string, ...texts: string[]])[] = [
  ['the name of the product', 'Pharos'],
  [
    'names of browsers, systems and services',
    ...['Edge', 'Opera', 'Samsung Internet', 'Firefox', 'Chrome', 'Safari', 'Windows', 'Mac', 'Linux'],
    ...['Google', 'Apple', 'Firebase', 'Web Push'],
  ],
  ['names of languages in themselves', 'English', 'Deutsch', 'Español', 'Français', 'Bahasa Indonesia'],
  [
    'languages as tags',
    'ar bg bn ca cs cy da de el en es et eu fa fi fil fr ga gl gsw he hi hr hu id is it ja ko lb lt lv mk ms mt nb nl',
    'pl pt pt-BR ro ru sk sl sq sr sv sw ta th tr uk ur vi zh-Hans zh-Hant',
  ],
  [
    'members and values of the interface, which are called the same everywhere',
    ...['objectId', 'installationId', 'webhook-id', 'webhook.test', 'String', 'Beacon', '/api/v2', 'DELETE'],
    ...['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun', 'Polygon', 'Point', 'Feature', 'openid email profile'],
    ...['startsWith', 'isNot', 'set', 'unset', 'command line', 'Id', 'Seconds', 'resources beacons'],
  ],
  [
    'what is typed in a terminal',
    ...["-H 'X-Service-AppKey: YOUR-APP-KEY'", "-H 'Authorization: Bearer ACCESS-TOKEN'"],
    ...["-H 'Content-Type: application/json'", "-H 'Content-Type: image/png'"],
    ...[
      'pharos admin link',
      'npx pharos admin create',
      'systemctl restart pharos',
      '/console/setup#…',
      '/console/sso/callback',
    ],
  ],
  [
    'examples of addresses, names and JSON',
    ...[
      'https://',
      'museum://sign-in',
      'museum://pair',
      'https://login.museum.example',
      'https://login.museum.example/jwks.json',
    ],
    ...['https://example.org/pharos', 'com.example.museum', 'mailto:you@example.org'],
    ...['mqtts://broker.example.org:8883', '{"name": "Main hall"}', '{"greeting": "Welcome"}', '{"hall": 2}'],
    ...['museum.example', 'https://app.museum.example', 'quiz_answers', 'metadata.email', 'mfa'],
  ],
  ['names of keys', 'Escape', 'Enter', 'Esc'],
  [
    'names under which drafts and notes are kept, and of queries',
    ...[
      'pharos draft',
      'pharos kept',
      'pharos language',
      'pharos signed in again',
      'pharos zone',
      'under way',
      'import beacons',
      'import records',
      'import venue',
    ],
    ...['record fields', 'identity provider', 'erase user', 'user venues'],
  ],
  ['mistakes of the program, which nobody sees', 'No administrator is signed in.', 'Unreachable'],
  ['style sheets and shapes', '1px solid var(--line)', 'M12 4 2.5 20h19zM12 10v4.5M12 17.5h.01'],
];
