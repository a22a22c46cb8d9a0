import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';
import { settings } from './settings.ts';

const notOrigins = [
  'app.example.org',
  'https://app.example.org/',
  'https://app.example.org/x',
  'https://*.example.org',
];

/** Values that each setting refuses; undefined if any text may be valid. */
const bad: Readonly<Record<string, readonly string[] | undefined>> = {
  PHAROS_HOST: ['', 'a b', 'http://localhost'],
  PHAROS_PORT: ['', 'http', '-1', '65536', '80.5'],
  PHAROS_DATA: [''],
  // Any text names a folder, and none is the folder in the data folder.
  PHAROS_BACKUP_FOLDER: undefined,
  PHAROS_DATABASE_URL: ['localhost', 'mysql://localhost/pharos', 'postgres://u:100%@localhost/pharos'],
  PHAROS_PUBLIC_URL: [
    'pharos.example.org',
    'ftp://pharos.example.org',
    'https://',
    'https://a/b?c',
    'https://a/#b',
    'https://u@a',
  ],
  PHAROS_HEADER_PREFIXES: ['', 'X-Service', 'X Service-'],
  PHAROS_CORS_ORIGINS: [...notOrigins, `https://a.example.org,${notOrigins[0]}`, 'https://a:443', '*,https://a'],
  PHAROS_TRUST_PROXY: ['maybe', '10.0.0.0/33', '10.0.0', '::1/129', '10.0.0.1/8/8'],
  PHAROS_LOG_LEVEL: ['', 'loud'],
  PHAROS_SMTP_URL: ['localhost', 'http://localhost', 'smtp://u:100%@localhost'],
  PHAROS_MAIL_FROM: ['', 'Pharos', 'a@example.org\nBcc: b@example.org'],
  PHAROS_BUS_URL: ['localhost:4222', 'redis://localhost', 'nats://', 'nats://u:100%@localhost'],
  PHAROS_PRIVATE_TARGETS: ['http://crm.lan', '10.0.0.0/33'],
  PHAROS_MQTT_PORT: ['mqtt', '65536'],
  PHAROS_MQTT_HOST: ['', 'mqtt://localhost'],
  PHAROS_MQTT_CERT: undefined,
  PHAROS_MQTT_KEY: undefined,
  PHAROS_GATEWAY_BROKER_URL: ['localhost', 'http://localhost', 'mqtt://u:100%@localhost'],
  PHAROS_GATEWAY_BROKER_TOPICS: ['a/#/b', 'a+', 'a,b#', '$share/group/a'],
  PHAROS_GATEWAY_BROKER_APP: undefined,
  PHAROS_GATEWAY_BROKER_DISCOVERY: ['/', 'a/#', 'a b'],
  PHAROS_OTLP_URL: ['localhost:4318', 'grpc://localhost', 'http://u:100%@localhost'],
  PHAROS_SECRET_KEY: ['short'],
  PHAROS_FILES_URL: ['https://host/bucket', 's3://host', 's3://key@host/bucket'],
  PHAROS_FILES_TIMEOUT_MS: ['0', 'soon'],
  PHAROS_FILES_REDIRECT: ['', 'yes'],
  PHAROS_DRAIN_MS: ['-1', 'soon', '600001'],
  PHAROS_WORKER: ['', 'true'],
  PHAROS_PUSH_URL: ['localhost', 'http://localhost'],
  PHAROS_PUSH_CA: undefined,
};

const good: readonly (readonly [variable: string, value: string])[] = [
  ['PHAROS_CORS_ORIGINS', ''],
  ['PHAROS_CORS_ORIGINS', 'https://app.example.org, http://localhost:5173,capacitor://localhost,null'],
  ['PHAROS_TRUST_PROXY', '127.0.0.1, 10.0.0.0/8,fd00::/8,loopback'],
  ['PHAROS_MAIL_FROM', 'Museum <museum@example.org>'],
  ['PHAROS_HOST', '::1'],
];

function problemWith(variable: string, value: string): string {
  try {
    readConfig({ [variable]: value });
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  return '';
}

test('numbers are taken from the least to the most, and no others', () => {
  const least = { PHAROS_DATABASE_TIMEOUT_MS: [200, 600_000], PHAROS_DATABASE_POOL: [1, 500] } as const;
  for (const [variable, [from, to]] of Object.entries(least)) {
    for (const value of [from, to]) assert.equal(problemWith(variable, String(value)), '');
    for (const value of [from - 1, to + 1])
      assert.match(problemWith(variable, String(value)), new RegExp(`${variable}.*whole number from ${from} to ${to}`));
  }
});

describe('a setting with a bad value', () => {
  for (const { variable, parse, secret } of settings) {
    // Numbers are read in one way only, with limits of their own.
    const values = variable in bad ? bad[variable] : ['', 'many', '-1', '1.5', '99999999999999'];
    for (const value of values ?? [])
      test(`${variable}=${JSON.stringify(value)} is told in one sentence`, () => {
        assert.throws(() => parse(value), /^Error: must [^\n]+$/);
        const [, line = '', ...more] = problemWith(variable, value).split('\n');
        assert.ok(line.startsWith(`  ${variable} must `), line);
        assert.equal(line.includes(JSON.stringify(value)), !secret, 'a secret is not repeated, anything else is');
        assert.deepEqual(more, []);
      });
  }

  for (const [variable, value] of good)
    test(`${variable}=${value} is taken`, () => assert.equal(problemWith(variable, value), ''));

  test('one port for two purposes is refused', () => {
    assert.throws(() => readConfig({ PHAROS_PORT: '9000', PHAROS_MQTT_PORT: '9000' }), /must differ, not both be 9000/);
    readConfig({ PHAROS_PORT: '0', PHAROS_MQTT_PORT: '0' });
  });
});
