import assert from 'node:assert/strict';
import { test } from 'vitest';
import { Failure } from './errors.ts';
import { firebaseHash, isForeign } from './foreign-passwords.ts';
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

test('passwords of other systems are checked as they were hashed there, each beside one of its own', async () => {
  const passwords = createPasswords();
  // Of the public test vectors of bcrypt, and the example of github.com/firebase/scrypt.
  const bcrypt = '$2a$06$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe';
  const firebase = firebaseHash(
    {
      signerKey: 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
      saltSeparator: 'Bw==',
      rounds: 8,
      memCost: 14,
    },
    {
      passwordHash: 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
      salt: '42xEC+ixf3L2lw==',
    },
  );
  assert.ok(firebase && isForeign(firebase) && isForeign(bcrypt));
  assert.ok(await passwords.matches('user1password', firebase, 'app', bcrypt));
  assert.ok(!(await passwords.matches('user2password', firebase, 'app', bcrypt)));
  assert.ok(!(await passwords.matches('user1password', undefined, 'app', firebase)), 'it is somebody else’s');
  const own = await passwords.hash('correct horse', 'app');
  assert.ok(!isForeign(own));
  assert.ok(await passwords.matches('correct horse', own, 'app', firebase));
  assert.ok(!(await passwords.matches('user1password', own, 'app', firebase)), 'it is somebody else’s');
  assert.equal(await passwords.matches('a', bcrypt, 'app'), true);
  assert.equal(await passwords.matches('b', bcrypt, 'app'), false);
  await assert.rejects(passwords.matches('a', '$1$unknown', 'app'), /of no known kind/);
});
