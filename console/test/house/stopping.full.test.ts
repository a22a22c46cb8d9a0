import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { service } from '../../../server/src/access/audit.ts';
import { type SignedIn, signIn, signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { takePictures } from '../pictures.ts';

/** In `first-session` the app itself, in `history` notifications and many at once, in `rules-page` the rules. */
describe('what stops visitors from being served is asked with the name of the app, and undone with one click', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let deviceId: string;
  let pushId: string;
  let userId: string;
  let origin: string;
  let notificationId: string;
  let storylineId: string;
  let scenarioId: string;
  let beaconId: string;
  let venueId: string;
  let recordId: string;
  let file: { readonly objectId: string; readonly url: string };

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    await app.app.apps.change(app.appId, { name: 'Museum guide' });
    const signedIn = await signIn(app);
    userId = signedIn.userId;
    const device = { deviceName: 'Sign', manufacture: 'Acme', topic: 'museum/sign' };
    deviceId = await create(app, '/api/v2/device', device, signedIn.headers);
    await content(signedIn);
    const webPush = { generate: true, subject: 'mailto:ops@museum.example' };
    await app.app.senders.save({ appId: app.appId, kind: 'webpush' }, webPush, service);
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'owner' });
    page = visited.page;
    for (const [path, body] of [
      [`devices/${deviceId}/credentials`, undefined],
      ['secret-keys', { name: 'Gateway', scopes: [{ resource: 'beacons', verbs: ['list'] }] }],
      ['v2/push/notification', { data: { title: 'Tonight' }, sendAt: new Date(Date.now() + 86_400_000).toISOString() }],
      ['identity-providers', { name: 'google', kind: 'google', audiences: ['1.apps.example'] }],
    ] as const) {
      const url = `/console/api/apps/${app.appId}/${path}`;
      const answer = await visited.context.request.post(url, { data: body, headers: { origin } });
      assert.ok(answer.ok(), await answer.text());
      if (path === 'v2/push/notification') pushId = answer.headers()['location']?.split('/').at(-1) ?? '';
    }
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  /** What visitors are served. */
  async function content({ headers }: SignedIn): Promise<void> {
    const hall = { name: 'Main hall', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 1 };
    beaconId = await create(app, '/api/v2/beacons', hall, headers);
    const welcome = {
      description: 'Welcome',
      beaconId: { __type: 'Pointer', className: 'Beacon', objectId: beaconId },
      event: 'ENTER',
      type: 'TEXT',
      message: { alertTitle: 'Hi', alertMessage: 'Come in.' },
      isEnabled: true,
    };
    notificationId = await create(app, '/api/v2/notifications', welcome, headers);
    storylineId = await create(app, '/api/v2/storylines', { title: 'A morning', isEnabled: true }, headers);
    const coffee = { beacons: [beaconId], campaign: 'TEXT', event: 'ENTER', alertTitle: 'Coffee' };
    const showOn = [{ dayName: 'Mon', checked: true }];
    scenarioId = await create(app, `/api/v2/storylines/${storylineId}/detail`, { ...coffee, showOn }, headers);
    const openingHours = [{ dayName: 'Mon', from: '10:00', until: '18:00' }];
    const manager = await signInManager(app);
    venueId = await create(app, '/api/v2/venues', { name: 'Old mill', openingHours }, manager.headers);
    await create(app, '/api/v2/data/schema/quiz', { column: { score: { type: 'Number' } } }, headers);
    recordId = await create(app, '/api/v2/data/bucket/quiz', { metadata: { score: 3 } }, headers);
    const upload = { method: 'POST', url: '/api/v2/files/hall.png', body: 'the hall', headers } as const;
    file = (await app.send({ ...upload, headers: { ...headers, 'content-type': 'image/png' } })).body;
  }

  const told = (path: string) => async () =>
    (await (await visited.context.request.get(`/console/api/apps/${app.appId}/${path}`)).json()) as never;
  const dialog = () => page.getByRole('dialog').filter({ hasText: 'In the app Museum guide' });
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });

  interface Stopping {
    readonly what: string;
    readonly path: () => string;
    readonly open: string | RegExp;
    readonly role?: 'switch';
    /** Before the first time. */
    readonly prepare?: () => Promise<unknown>;
    /** What has to be typed into the question. */
    readonly type?: string;
    readonly confirm: string;
    /** Whether visitors are served; by what the service says. */
    readonly isServed: () => Promise<boolean>;
  }

  const isOn = (path: string) => async () =>
    ((await told(`v2/${path}`)()) as { result: { isEnabled: boolean } }).result.isEnabled;
  const status = async (path: string) => {
    const url = `/console/api/apps/${app.appId}/v2/${path}`;
    return (await visited.context.request.get(url)).status();
  };

  const cases: readonly Stopping[] = [
    {
      what: 'a notification is switched off in the list',
      path: () => 'messages',
      open: 'Welcome is on',
      role: 'switch',
      confirm: 'Switch off',
      isServed: () => isOn(`notifications/${notificationId}`)(),
    },
    {
      what: 'a notification is switched off on its page',
      path: () => `messages/${notificationId}`,
      open: 'On',
      role: 'switch',
      confirm: 'Switch off',
      isServed: () => isOn(`notifications/${notificationId}`)(),
    },
    {
      what: 'a notification goes back to when it was off',
      path: () => `messages/${notificationId}?`,
      prepare: () => button('History').click(),
      open: 'Go back to before this',
      confirm: 'Switch off',
      isServed: () => isOn(`notifications/${notificationId}`)(),
    },
    {
      what: 'the last day of a scenario is taken away',
      path: () => `messages/${scenarioId}`,
      prepare: async () => {
        await page.getByTestId('sentence').getByTitle('Days').click();
        await page.getByRole('checkbox', { name: 'Monday' }).press('Space');
        await button('Done').click();
      },
      open: 'Save',
      confirm: 'Save and stop showing it',
      isServed: async () => {
        const path = `v2/storylines/${storylineId}/detail/${scenarioId}`;
        const { result } = (await told(path)()) as { result: { showOn: { checked: boolean }[] } };
        return result.showOn.some(({ checked }) => checked);
      },
    },
    {
      what: 'the last opening hours of a venue are taken away',
      path: () => `beacons/venues/${venueId}/edit`,
      prepare: () => page.getByRole('button', { name: 'Remove these hours of Monday' }).click(),
      open: 'Save',
      confirm: 'Save and close',
      isServed: async () => {
        const { result } = (await told(`v2/venues/${venueId}`)()) as { result: { openingHours: unknown[] } };
        return result.openingHours.length > 0;
      },
    },
    {
      what: 'a storyline is switched off in the list',
      path: () => 'messages?storylines',
      open: 'A morning is on',
      role: 'switch',
      confirm: 'Switch off',
      isServed: () => isOn(`storylines/${storylineId}`)(),
    },
    {
      what: 'a storyline is deleted, with its scenarios',
      path: () => `messages/${storylineId}`,
      open: 'Delete',
      confirm: 'Delete A morning',
      isServed: async () =>
        (await status(`storylines/${storylineId}`)) === 200 &&
        (await status(`storylines/${storylineId}/detail/${scenarioId}`)) === 200,
    },
    {
      what: 'a beacon is deleted',
      path: () => `beacons/${beaconId}`,
      open: 'Delete',
      confirm: 'Delete Main hall',
      isServed: async () => (await status(`beacons/${beaconId}`)) === 200,
    },
    {
      what: 'a record is deleted',
      path: () => `buckets/quiz/records/${recordId}`,
      open: 'Delete',
      confirm: 'Delete the record',
      isServed: async () => (await status(`data/bucket/quiz/${recordId}`)) === 200,
    },
    {
      what: 'a file is deleted',
      path: () => `files?file=${file.objectId}`,
      open: 'Delete',
      confirm: 'Delete hall.png',
      isServed: async () => (await fetch(origin + new URL(file.url).pathname)).status === 200,
    },
    {
      what: 'a schema is deleted',
      path: () => 'buckets/quiz/schema',
      open: 'Delete',
      confirm: 'Delete the schema',
      isServed: async () => ((await told('v2/data/schema/quiz')()) as { results: unknown[] }).results.length === 1,
    },
    {
      what: 'a bucket is deleted',
      path: () => 'buckets',
      open: 'Delete quiz',
      type: 'quiz',
      confirm: 'Delete the bucket',
      isServed: async () => (await status(`data/bucket/quiz/${recordId}`)) === 200,
    },
    {
      what: 'an identity provider is switched off',
      path: () => 'sign-in',
      open: /^Sign-in with .* is switched on/i,
      role: 'switch',
      confirm: 'Switch off',
      isServed: async () => {
        const { results } = (await told('identity-providers')()) as { results: { enabled: boolean }[] };
        return results.some(({ enabled }) => enabled);
      },
    },
    {
      what: 'a sender is removed',
      path: () => 'senders',
      open: 'Remove',
      confirm: 'Remove the credentials',
      isServed: async () => {
        const { results } = (await told('senders')()) as { results: { kind: string; isSetUp: boolean }[] };
        return results.some(({ kind, isSetUp }) => kind === 'webpush' && isSetUp);
      },
    },
    {
      what: 'a key of the app is switched off',
      path: () => 'keys',
      open: 'Switch off',
      confirm: 'Switch off',
      isServed: async () => ((await told('keys')()) as { results: unknown[] }).results.length === 1,
    },
    {
      what: 'a secret key is revoked',
      path: () => 'keys',
      open: 'Revoke Gateway',
      confirm: 'Revoke',
      isServed: async () => ((await told('secret-keys')()) as { results: unknown[] }).results.length === 1,
    },
    {
      what: 'the credentials of a device are revoked',
      path: () => `devices/${deviceId}`,
      open: 'Revoke them',
      confirm: 'Revoke them',
      isServed: async () => {
        const path = `devices/${deviceId}/credentials`;
        return ((await told(path)()) as { result: { issuedAt: unknown } }).result.issuedAt !== null;
      },
    },
    {
      what: 'a device is deleted',
      path: () => `devices/${deviceId}?`,
      open: 'Delete',
      confirm: 'Delete Sign',
      isServed: async () => (await status(`device/${deviceId}`)) === 200,
    },
    {
      what: 'a push that waits for its time is cancelled',
      path: () => `push/${pushId}`,
      open: 'Cancel the message',
      confirm: 'Stop sending',
      isServed: async () => {
        const { result } = (await told(`v2/push/notification/${pushId}`)()) as { result: { state: string } };
        return result.state === 'accepted';
      },
    },
    {
      what: 'an account is switched off',
      path: () => `users/${userId}`,
      open: 'Switch off',
      confirm: 'Switch off',
      isServed: async () =>
        ((await told(`users/${userId}`)()) as { result: { disabledAt?: string } }).result.disabledAt === undefined,
    },
    {
      what: 'an identity provider is deleted',
      path: () => 'sign-in',
      open: 'Delete',
      confirm: 'Delete the identity provider',
      isServed: async () => ((await told('identity-providers')()) as { results: unknown[] }).results.length === 1,
    },
    {
      what: 'the policy wants consent first',
      path: () => 'policy',
      open: 'Save the limits',
      confirm: 'Save the limits of Museum guide',
      isServed: async () => (await app.app.apps.get(app.appId)).policy.consent === 'assumed',
    },
  ];
  for (const { what, path, open, role = 'button', prepare, type, confirm, isServed } of cases)
    test(what, async () => {
      const url = `/console/apps/${app.appId}/${path()}`;
      if (!page.url().endsWith(url)) await page.goto(url);
      const opener = page.getByRole(role, { name: open, exact: typeof open === 'string' }).first();
      await prepare?.();
      if (confirm === 'Delete the identity provider') await page.getByRole('link', { name: 'Google' }).click();
      if (path() === 'policy') await page.getByLabel('Without an answer of the visitor').selectOption('required');
      await opener.press('Space');
      await dialog().getByRole('button', { name: 'Cancel' }).click();
      await dialog().waitFor({ state: 'detached' });
      assert.equal(await isServed(), true);
      await opener.press('Space');
      if (type !== undefined) await dialog().getByRole('textbox').fill(type);
      await dialog().getByRole('button', { name: confirm, exact: true }).waitFor();
      await assertAccessible(page);
      if (path() === 'policy' || path() === 'messages') await takePictures(page, `stopping-${path()}`);
      await dialog().getByRole('button', { name: confirm, exact: true }).click();
      await becomes(isServed, false);
      await button('Undo').click();
      await becomes(isServed, true);
      await page.getByText('The change was undone.').last().waitFor();
    });

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(visited.complaints, []);
  });
});
