import fc from 'fast-check';

/** Values that nobody expects in a body or a query, and the places of a body where they can be. */

/** As JSON.parse makes it: `__proto__` is a member like any other. */
export const member = (name: string, value: unknown) => Object.fromEntries([[name, value]]);

const methods = [
  'toString',
  'valueOf',
  'toJSON',
  'constructor',
  '__proto__',
  'prototype',
  'length',
  'then',
  'hasOwnProperty',
];
export const times = [
  8.64e15,
  8.64e15 + 2,
  -8.64e15,
  -8.64e15 - 2,
  253_402_300_799_999,
  253_402_300_800_000,
  1e11,
  1e14,
  -62135596800001,
];
export const numbers = [
  0,
  -1,
  1,
  0.5,
  65_536,
  2 ** 31,
  2 ** 53,
  2 ** 63,
  1e21,
  1e300,
  -1e300,
  5e-324,
  1.7976931348623157e308,
];
export const texts = [
  ...['', ' ', '0', '-1', 'NaN', 'Infinity', '-Infinity', '1e999', '0x10', 'null', 'undefined', 'true', ...methods],
  ...[
    '+275760-09-13T00:00:00.001Z',
    '-271821-04-19T23:59:59.999Z',
    '9999-12-31T23:59:59.999Z',
    '0000-01-01',
    '2024-02-30',
  ],
  ...[
    'http://',
    'https://[',
    'https://a b',
    'https://[::1]:99999/',
    'javascript:1',
    '//x',
    '%00',
    '%',
    '../..',
    "' or 1=1 --",
  ],
  ...['(', '[[:^alpha:]', '\\', '{"$regex":"("}', '\u0001', '\u007f', '\u202e', '\ufeff', '\u0301', '😀'.repeat(60)],
  ...[
    'a'.repeat(300),
    'e\u0301'.repeat(2_000),
    'x'.repeat(70_000),
    '-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----',
  ],
];
const nested = (depth: number): unknown => (depth === 0 ? [] : [nested(depth - 1)]);
const shells = [
  ...[{}, [], [[]], [null], [{}], [[], {}], nested(50), Array(1_001).fill(0), Array(300).fill('a')],
  ...methods.flatMap((name) => [member(name, 1), member(name, null), member(name, {}), member(name, 'x')]),
  ...[{ length: -1 }, { length: 2 ** 32 }, { 0: 'a', length: 1 }, { objectId: {} }, { objectId: null }, { type: {} }],
  ...[{ __type: 'Pointer' }, { __type: {} }, { __type: 'Pointer', className: {}, objectId: [] }, { __type: 'Bytes' }],
  ...[{ __type: 'Pointer', className: 'Beacon', objectId: '\u0001' }, { __type: 'Date' }, { __type: 'Date', iso: {} }],
  ...[
    { __type: 'Date', iso: '9999999' },
    { $gt: '' },
    { $regex: '(' },
    { $in: {} },
    { $where: 'x' },
    { '': '' },
    { 'a.b': 1 },
  ],
];
export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...shells) },
  { weight: 2, arbitrary: fc.constantFrom(...texts) },
  { weight: 2, arbitrary: fc.constantFrom(...numbers, ...times, ...times.map((time) => time / 1000)) },
  { weight: 1, arbitrary: fc.constantFrom(null, true, false) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...times)
      .map((time) => new Date(Math.max(-8.64e15, Math.min(time, 8.64e15))).toISOString()),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

/** Those that are tried in every single place in each run. */
export const worst: readonly unknown[] = process.env['PHAROS_TEST_RUNS']
  ? [...shells, ...texts, ...numbers, ...times, null, true]
  : [
      ...[
        { toString: 1 },
        member('__proto__', 1),
        { length: -1 },
        [[]],
        { __type: 'Pointer', className: {}, objectId: [] },
      ],
      ...[8.64e15 + 2, 1e300, '\u0001', '+275760-09-13T00:00:00.001Z'],
    ];

export type Path = readonly (string | number)[];
export interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** Every place of a body: those of the schema and those of the example. */
export function placesOf(schema: Schema, example: unknown): Path[] {
  const found = new Map<string, Path>([['[]', []]]);
  const note = (path: Path) => found.set(JSON.stringify(path), path);
  const walkSchema = (at: Schema, path: Path): void => {
    note(path);
    if (path.length > 5) return;
    for (const [name, each] of Object.entries(at.properties ?? {})) walkSchema(each, [...path, name]);
    if (at.items) walkSchema(at.items, [...path, 0]);
    for (const each of at.anyOf ?? []) walkSchema(each, path);
  };
  const walkExample = (value: unknown, path: Path): void => {
    note(path);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, each] of Object.entries(value))
      walkExample(each, [...path, Array.isArray(value) ? Number(name) : name]);
  };
  walkSchema(schema, []);
  walkExample(example, []);
  return [...found.values()];
}

/** The body with another value at the path; missing parents are created. */
export function changed(body: unknown, [name, ...rest]: Path, value: unknown): unknown {
  if (name === undefined) return value;
  const isRecord = typeof body === 'object' && body !== null;
  if (typeof name === 'number') {
    const list = Array.isArray(body) ? [...body] : [];
    list[name] = changed(list[name], rest, value);
    return list;
  }
  const entries = isRecord && !Array.isArray(body) ? Object.entries(body) : [];
  const known = entries.find(([key]) => key === name)?.[1];
  return Object.fromEntries([...entries.filter(([key]) => key !== name), [name, changed(known, rest, value)]]);
}

/** The names that senders of sightings use for their members; the schema accepts any. */
export const sightingMembers = [
  ...['beacon', 'beaconId', 'event', 'rssi', 'txPower', 'distance', 'accuracy', 'proximity', 'occurredAt', 'timestamp'],
  ...['eventId', 'sender', 'interval', 'receiver', 'topic', 'tag', 'id', 'id1', 'id2', 'id3', 'tx', 'rssi@1m', 'uuid'],
  ...['major', 'minor', 'txpower'],
];
