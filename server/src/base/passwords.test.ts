import assert from 'node:assert/strict';
import { test } from 'vitest';
import { Failure } from './errors.ts';
import { createPasswords } from './passwords.ts';

test('hashes differ for one password, and each of them matches only it', async () => {
  const passwords = createPasswords();
  const [one, two] = [await passwords.hash('correct horse', 'app'), await passwords.hash('correct horse', 'app')];
  assert.notEqual(one, two);
  assert.ok(await passwords.matches('correct horse', one, 'app'));
  assert.ok(!(await passwords.matches('correct horsf', one, 'app')));
  assert.ok(!(await passwords.matches('correct horse', undefined, 'app')), 'without a stored hash nothing matches');
});

test('a hash from another implementation and with another cost is understood', async () => {
  // The reference implementation's test vector for argon2id v19: t=2, m=256 KiB, p=1, "password", "somesalt".
  const vector = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
  const passwords = createPasswords();
  assert.ok(await passwords.matches('password', vector, 'app'));
  assert.ok(!(await passwords.matches('Password', vector, 'app')));
});

test('refuses an app that has too many waiting, and still takes those of other apps', async () => {
  const passwords = createPasswords({ maxWaiting: 3 });
  const asked = Array.from({ length: 7 }, () => passwords.hash('correct horse', 'busy'));
  const other = passwords.hash('correct horse', 'quiet');
  const outcomes = await Promise.allSettled(asked);
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as Failure);
  assert.equal(refused.length, 2, 'two run and three wait');
  assert.ok(
    refused.every((error) => error instanceof Failure && error.entry.name === 'Timeout' && error.retryAfter === 2),
  );
  assert.match(await other, /^\$argon2id\$/);
});

test('a password that no account can have is wrong at once, and takes nobody a place', async () => {
  const passwords = createPasswords({ maxWaiting: 1 });
  const stored = await passwords.hash('correct horse', 'app');
  const long = 'a'.repeat(10_000);
  const asked = Array.from({ length: 50 }, (_, n) => passwords.matches(long, n % 2 ? stored : undefined, 'app'));
  assert.deepEqual([...new Set(await Promise.all(asked))], [false]);
  await assert.rejects(passwords.hash(long, 'app'), { name: 'ValidationError' });
});
