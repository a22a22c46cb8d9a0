import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, signIn, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { launchBrowser, openAs, startConsole, type Visit, watchRequests } from '../browser.ts';

/** Runs if any page takes it for markup, an attribute or a script. */
const attack = `"'><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>{{7*7}}`;

/** A page of another origin: the same machine under another name and port. */
async function foreignPages(
  pages: Readonly<Record<string, () => string>>,
): Promise<{ server: Server; origin: string }> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(pages[request.url ?? '']?.() ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://localhost:${(server.address() as AddressInfo).port}` };
}

describe('attacks on the console in a browser', () => {
  let app: TestApp;
  let origin: string;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let foreign: { server: Server; origin: string };

  beforeAll(async () => {
    ({ app, origin } = await startConsole());
    browser = await launchBrowser();
    visited = await openAs(browser, { app, origin, role: 'owner' });
    page = visited.page;
    const target = () => `${origin}/console/api/apps`;
    foreign = await foreignPages({
      '/form': () =>
        `<form method="post" enctype="text/plain" action="${target()}"><input name='{"name":"stolen","x":"' value='"}'></form>
         <script>document.forms[0].submit()</script>`,
      '/fetch': () => `<script>
          Promise.all([
            fetch('${target()}', { credentials: 'include' }).then((answer) => answer.text(), () => 'refused'),
            fetch('${target()}', { method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json' }, body: '{"name":"stolen"}' }).then(() => 'sent', () => 'refused'),
            fetch('${target()}', { method: 'POST', credentials: 'include', mode: 'no-cors', body: '{"name":"stolen"}' }).then((answer) => answer.type, () => 'refused'),
          ]).then((said) => { document.title = JSON.stringify(said); });
        </script>`,
      '/frame': () => `<iframe id="bait" src="${origin}/console/apps"></iframe>`,
    });
  });
  afterAll(async () => {
    foreign?.server.close();
    await browser?.close();
    await app?.close();
  });

  const appNames = async () => (await app.app.apps.list()).map(({ name }) => name);

  test('the session is a cookie that no script reads and no other site sends', async () => {
    await page.goto('/console/apps');
    await page.getByRole('heading', { name: 'Apps' }).waitFor();
    const [cookie, ...others] = await visited.context.cookies();
    assert.equal(others.length, 0);
    assert.match(cookie?.name ?? '', /^pharos-\w{8}$/);
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite, cookie?.path], [true, 'Strict', '/']);
    assert.equal(await page.evaluate('document.cookie'), '');
    assert.equal(
      await page
        .evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')
        .then(String)
        .then((text) => text.includes(cookie?.value ?? '?')),
      false,
    );
  });

  test('under https the cookie is bound to the host and to https', async () => {
    const secure = await buildApp({ settings: { PHAROS_PUBLIC_URL: 'https://pharos.example' } });
    try {
      const account = { email: 'a@museum.example', password: 'a long enough secret' };
      await secure.app.admins.create({ ...account, name: 'A', role: 'owner' }, { name: 'test', address: null });
      const { headers } = await secure.send({
        method: 'POST',
        url: '/console/api/session',
        headers: { origin: 'https://pharos.example' },
        body: account,
      });
      assert.match(
        String(headers['set-cookie']),
        /^__Host-pharos-\w{8}=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=\d+$/,
      );
    } finally {
      await secure.close();
    }
  });

  test('a form and fetches of a foreign page change nothing and read nothing', async () => {
    const before = await appNames();
    const other = await visited.context.newPage();
    await other.goto(`${foreign.origin}/form`);
    await other.waitForURL(/console\/api\/apps/);
    assert.match(await other.content(), /OperationForbidden/);
    await other.goto(`${foreign.origin}/fetch`);
    await other.waitForFunction(() => (globalThis as unknown as { document: { title: string } }).document.title !== '');
    assert.deepEqual(JSON.parse(await other.title()), ['refused', 'refused', 'opaque']);
    assert.deepEqual(await appNames(), before);
    await other.close();
  });

  test('even with the cookie in hand a foreign Origin, or none, may not write', async () => {
    for (const headers of [{ origin: foreign.origin }, { origin: 'null' }, {}] as Record<string, string>[]) {
      const answer = await visited.context.request.post('/console/api/apps', { data: { name: 'stolen' }, headers });
      assert.equal(answer.status(), 403, JSON.stringify(headers));
    }
    assert.ok(!(await appNames()).includes('stolen'));
  });

  test('no foreign page shows the console in a frame', async () => {
    const other = await visited.context.newPage();
    const said: string[] = [];
    other.on('console', (message) => said.push(message.text()));
    await other.goto(`${foreign.origin}/frame`);
    await other.waitForLoadState('networkidle');
    assert.ok(
      said.some((text) => /frame-ancestors|X-Frame-Options/i.test(text)),
      said.join('\n'),
    );
    const inside = await other
      .frames()[1]
      ?.evaluate('document.body ? document.body.innerText : ""')
      .catch(() => '');
    assert.doesNotMatch(String(inside), /Test app|Pharos/);
    await other.close();
  });

  test('what an address says is never taken for markup', async () => {
    const isLoaded = watchRequests(page);
    const text = encodeURIComponent(attack);
    for (const path of [
      `/console/${text}`,
      `/console/apps/${text}`,
      `/console/apps/${app.appId}/beacons?q=${text}`,
      `/console/apps/${app.appId}/beacons?order=${text}`,
      `/console/apps/${app.appId}/beacons/${text}`,
      `/console/apps/${app.appId}/buckets/${text}`,
      `/console/apps/${app.appId}/files?q=${text}&file=${text}`,
      `/console/apps/${app.appId}/api?op=${text}&q=${text}`,
      `/console/audit?actor=${text}&kind=${text}`,
      `/console/sign-in?next=${encodeURIComponent('javascript:window.hacked=1')}`,
      `/console/sign-in?next=${encodeURIComponent('//localhost/')}`,
    ]) {
      await page.goto(path);
      await isLoaded();
      assert.ok(page.url().startsWith(origin), path);
      assert.equal(await page.evaluate("'hacked' in window"), false, path);
    }
  });

  test('what is stored is never taken for markup, on any page that shows it', async () => {
    const { headers } = await signIn(app);
    const short = '"><img src=x onerror=window.hacked=1>';
    const beacon = await create(
      app,
      '/api/v2/beacons',
      {
        name: short,
        uuid: short,
        major: 1,
        minor: 1,
        location: { x: 1, y: 1, floor: attack },
        metadata: { [attack]: attack },
      },
      headers,
    );
    await create(
      app,
      '/api/v2/notifications',
      {
        description: short,
        beaconId: { __type: 'Pointer', className: 'Beacon', objectId: beacon },
        event: 'ENTER',
        type: 'TEXT',
        message: { alertTitle: attack, alertMessage: attack },
        isEnabled: true,
      },
      headers,
    );
    await app.app.buckets.createBucket(app.appId, 'notes');
    await create(app, '/api/v2/data/bucket/notes', { metadata: { text: attack, [attack]: { deep: attack } } }, headers);
    const record = (await app.send({ method: 'GET', url: '/api/v2/data/bucket/notes', headers })).body.results[0]
      .objectId;
    const file = encodeURIComponent(attack.replaceAll('/', ''));
    const uploaded = await app.send({
      method: 'POST',
      url: `/api/v2/files/${file}`,
      body: '<script>parent.hacked=1</script>',
      headers: { ...headers, 'content-type': 'text/html' },
    });
    await app.app.apps.change(app.appId, { name: short });
    await app.app.admins.create(
      { email: 'mallory@museum.example', name: short, role: 'analyst', password: 'a long enough secret' },
      { name: attack, address: attack },
    );
    const inApp = `/console/apps/${app.appId}`;
    const paths = [
      '',
      '/activity',
      '/beacons',
      '/beacons?view=map',
      `/beacons/${beacon}`,
      `/beacons/${beacon}/edit`,
      '/messages',
      '/push',
      '/installations',
      '/users',
      '/devices',
      '/buckets',
      '/buckets/notes',
      `/buckets/notes/records/${record}`,
      '/files',
      `/files?file=${uploaded.body.objectId}`,
      '/api',
      '/settings',
    ];
    const isLoaded = watchRequests(page);
    for (const path of [
      '/console',
      '/console/apps',
      '/console/administrators',
      '/console/audit',
      '/console/system',
      ...paths.map((rest) => inApp + rest),
    ]) {
      await page.goto(path);
      await isLoaded();
      assert.equal(await page.evaluate("'hacked' in window"), false, path);
      assert.equal(await page.locator('img[src="x"]').count(), 0, path);
    }
    // The page shows it as plain text.
    await page.goto(`${inApp}/beacons`);
    await page.getByRole('link', { name: short, exact: true }).waitFor();
    await page.goto(`${inApp}/buckets/notes`);
    await page.getByText('<script>window.hacked=1</script>', { exact: false }).first().waitFor();
  });

  test('an uploaded page is saved instead of shown, and a picture stands in a sandbox', async () => {
    const { headers } = await signIn(app);
    for (const [name, type, disposition] of [
      ['page.html', 'text/html', 'attachment'],
      ['drawing.svg', 'image/svg+xml', 'attachment'],
      ['hall.png', 'image/png', 'inline'],
    ] as const) {
      const { body } = await app.send({
        method: 'POST',
        url: `/api/v2/files/${name}`,
        body: '<script>1</script>',
        headers: { ...headers, 'content-type': type },
      });
      const answer = await fetch(origin + new URL(body.url).pathname);
      assert.equal(answer.headers.get('content-disposition')?.startsWith(disposition), true, name);
      assert.match(answer.headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      await answer.body?.cancel();
    }
  });

  test('nothing of all this made the browser ask elsewhere or break the content policy', () => {
    const serious = visited.complaints.filter((text) => /Content Security Policy|asked for/.test(text));
    assert.deepEqual(
      serious.filter((text) => !text.includes(foreign.origin)),
      [],
    );
  });
});
