import assert from 'node:assert/strict';
import { test } from 'vitest';
import { readPostgresAddress, ServerChoice } from './postgres-servers.ts';

test('an address names one server or several, each with the same credentials and database', () => {
  const { servers, wanted } = readPostgresAddress(
    'postgres://u:p%40,s@h1:5432,h2,[::1]:5433/db?target_session_attrs=primary&sslmode=disable',
  );
  assert.equal(wanted, 'primary');
  assert.deepEqual(servers, [
    { name: 'h1:5432', url: 'postgres://u:p%40,s@h1:5432/db?sslmode=disable' },
    { name: 'h2:5432', url: 'postgres://u:p%40,s@h2/db?sslmode=disable' },
    { name: '[::1]:5433', url: 'postgres://u:p%40,s@[::1]:5433/db?sslmode=disable' },
  ]);
  assert.equal(readPostgresAddress('postgres://h1,h2/db').wanted, 'read-write');
  assert.deepEqual(readPostgresAddress('postgresql://u@h/db'), {
    servers: [{ name: 'h:5432', url: 'postgresql://u@h/db' }],
    wanted: 'any',
  });
  assert.equal(readPostgresAddress('postgres:///db?host=/run/postgresql').servers[0]?.name, '/run/postgresql');
});

test('what cannot be meant is refused in words, without a part of the address', () => {
  for (const [address, says] of [
    ['mysql://u:secret@h/db', /begins with postgres:/],
    ['postgres://u:secret@h1,h2/db?target_session_attrs=standby', /the service writes; use read-write, primary or any/],
    ['postgres://u:secret@h1/db?target_session_attrs=prefer-standby', /the service writes/],
    ['postgres://u:secret@h1/db?target_session_attrs=master', /read-write, primary or any/],
    ['postgres://u:secret@h1:port,h2/db', /host:port/],
    ['postgres://u:secret@h1,,h2/db', /host:port/],
    ['postgres://u:secret@/db?host=h1,h2', /in front of the database/],
  ] as const) {
    assert.throws(
      () => readPostgresAddress(address),
      (error: Error) => says.test(error.message) && !error.message.includes('secret'),
      address,
    );
  }
});

test('the chosen server stays until it fails, and a failure that many meet moves on by one', () => {
  const choice = new ServerChoice(readPostgresAddress('postgres://h1,h2/db'));
  const first = choice.current;
  choice.failed(first);
  choice.failed(first);
  assert.equal(choice.current.name, 'h2:5432');
  choice.failed(choice.current);
  assert.equal(choice.current, first);
});
