import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Service } from '../../../server/test/e2e/service.ts';

export interface Account {
  readonly email: string;
  readonly password: string;
  readonly appId: string;
}

/** What the first start of a demo has written. */
export function demoAccount(dataFolder: string): Account {
  const text = readFileSync(join(dataFolder, 'demo.env'), 'utf8');
  const value = (name: string) => new RegExp(`^export ${name}=(\\S+)$`, 'm').exec(text)?.[1] ?? '';
  return { email: value('DEMO_EMAIL'), password: value('DEMO_PASSWORD'), appId: value('APP_ID') };
}

export async function signIn(page: Page, { baseUrl }: Service, account: Account): Promise<Account> {
  const { email, password } = account;
  const headers = { origin: baseUrl };
  const answer = await page.context().request.post('/console/api/session', { data: { email, password }, headers });
  if (answer.status() !== 201) throw new Error(`Signing in failed: ${await answer.text()}`);
  return account;
}

/** Makes what the demo has none of. Returns the addresses of the pages that show it. */
export async function furnish(page: Page, service: Service, account: Account): Promise<readonly string[]> {
  const { baseUrl } = service;
  const { appId } = account;
  // Whoever changes how administrators sign in has signed in a moment ago.
  await signIn(page, service, account);
  const { request } = page.context();
  const add = async (path: string, data: object) => {
    const answer = await request.post(`/console/api${path}`, { data, headers: { origin: baseUrl } });
    if (!answer.ok()) throw new Error(`${path}: ${await answer.text()}`);
    const { result = {} } = (await answer.json()) as { result?: Readonly<Record<string, string>> };
    const { objectId, providerId, reportId } = result;
    return objectId ?? providerId ?? reportId ?? answer.headers()['location']?.split('/').at(-1) ?? '';
  };
  const session = await (await request.get('/console/api/session')).json();
  const app = `/apps/${appId}`;
  const sendAt = new Date(Date.now() + 86_400_000).toISOString();
  const push = await add(`${app}/v2/push/notification`, { data: { title: 'Open late tomorrow' }, sendAt });
  const webhook = await add(`${app}/webhooks`, {
    url: `${baseUrl}/till`,
    description: 'The till of the shop',
    events: ['visit.opened', 'visit.closed', 'message.fired'],
  });
  const google = await add(`${app}/identity-providers`, {
    name: 'google',
    kind: 'google',
    audiences: ['1.apps.example'],
  });
  const report = await add(`${app}/reports`, {
    venueId: null,
    every: 'week',
    isOn: true,
    administrators: [session.result.adminId],
    addresses: [],
  });
  const sso = await add('/sso-providers', {
    name: 'Museum account',
    issuer: baseUrl,
    clientId: 'console',
    clientSecret: 'a secret of the console',
    groupsClaim: 'groups',
    roles: { owner: ['heads'], editor: ['editors'] },
  });
  return [
    `${app}/push/${push}/edit`,
    `${app}/push/${push}`,
    `${app}/webhooks`,
    `${app}/webhooks/${webhook}`,
    `${app}/webhooks/${webhook}/edit`,
    `${app}/sign-in`,
    `${app}/sign-in/${google}`,
    `${app}/activity/analytics/reports`,
    `${app}/activity/analytics/reports/${report}`,
    `${app}/activity/analytics/reports/${report}/edit`,
    '/administrators/single-sign-on',
    `/administrators/single-sign-on/${sso}`,
  ].map((path) => `/console${path}`);
}

/** An app in which there is nothing. Returns its id. */
export async function emptyApp(page: Page, { baseUrl }: Service): Promise<string> {
  const answer = await page
    .context()
    .request.post('/console/api/apps', { data: { name: 'Nothing yet' }, headers: { origin: baseUrl } });
  if (answer.status() !== 201) throw new Error(`No app was made: ${await answer.text()}`);
  return (await answer.json()).result.appId;
}
