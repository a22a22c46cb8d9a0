import assert from 'node:assert/strict';
import { test } from 'vitest';
import { fixedEntries, matching } from '../../src/frame/palette/entries.ts';

const found = (role: string, text: string) =>
  matching(fixedEntries({ role, apps: null } as never, 'app'), text).map(({ label, kind, to }) => [label, kind, to]);

test('what people ask for is found: something to do with its page, and a setting by its name', () => {
  for (const [asked, label, kind, to] of [
    ['erase', 'Erase a person', 'Action · Accounts', '/apps/$appId/users'],
    ['password', 'Change your password', 'Action · Your account', '/account'],
    ['battery', 'See the battery of beacons', 'Action · Beacons', '/apps/$appId/beacons/condition'],
    ['passwor', 'Minimum password length', 'Setting · Limits', '/apps/$appId/policy'],
    ['limits quotas', 'Quotas', 'Setting · Limits', '/apps/$appId/policy'],
    ['backup', 'Make a backup', 'Action · System', '/system'],
  ] as const)
    assert.deepEqual(
      found('owner', asked).find(([name]) => name === label),
      [label, kind, to],
      asked,
    );
});

test('nothing is offered that the role may not do', () => {
  assert.deepEqual(
    found('analyst', 'erase').filter(([, kind]) => kind?.startsWith('Action')),
    [],
  );
  assert.deepEqual(found('editor', 'backup'), []);
});
