import assert from 'node:assert/strict';
import { test } from 'vitest';
import { raw } from '../../src/base/sql.ts';
import { buildApp } from '../support/build-app.ts';
import { assertWholeNumbers } from '../support/storage/whole-numbers.ts';

test('a fraction in a column of whole numbers is found, which PostgreSQL would refuse', async () => {
  const app = await buildApp();
  const { db } = app.storage;
  await assertWholeNumbers(db);
  await db.run(raw(`update apps set created_at = created_at + 0.5 where app_id = '${app.appId}'`));
  await assert.rejects(assertWholeNumbers(db), { message: 'PostgreSQL would refuse the fractions in apps.' });
  await db.run(raw(`update apps set created_at = created_at - 0.5 where app_id = '${app.appId}'`));
  await app.close();
});
