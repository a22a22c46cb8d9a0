import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Service } from '../../server/test/e2e/service.ts';

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

/** An app in which there is nothing. Returns its id. */
export async function emptyApp(page: Page, { baseUrl }: Service): Promise<string> {
  const answer = await page
    .context()
    .request.post('/console/api/apps', { data: { name: 'Nothing yet' }, headers: { origin: baseUrl } });
  if (answer.status() !== 201) throw new Error(`No app was made: ${await answer.text()}`);
  return (await answer.json()).result.appId;
}
