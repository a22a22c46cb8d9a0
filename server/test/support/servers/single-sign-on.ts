import assert from 'node:assert/strict';
import type { Reach } from '../../../src/access/reach.ts';
import { type Answer, buildApp, type DatabaseKind, type TestApp } from '../build-app.ts';
import { type Browser, consoleOrigin, openConsole, password, sendFromConsole } from '../console.ts';
import { type IdentityProvider, startIdentityProvider } from './identity-provider.ts';

/** So that providers on this machine may be used. */
export const loopback = { PHAROS_PRIVATE_TARGETS: '127.0.0.1' } as const;

/** Adds the provider through the console, and returns its id. */
export async function addProvider(owner: Browser, provider: IdentityProvider, more: object = {}): Promise<string> {
  const body = {
    name: 'Museum account',
    issuer: provider.issuer,
    ...provider.consoleClient,
    groupsClaim: 'groups',
    roles: { owner: ['heads'], manager: ['it'], editor: ['curators'] },
    joinApps: 'all',
    ...more,
  };
  const answer = await owner.send({ method: 'POST', url: '/sso-providers', body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.result.providerId;
}

export interface Departed {
  /** The Cookie header of the browser from then on. */
  readonly cookie: string;
  /** Where it was sent. */
  readonly address: string;
}

/** Begins as the sign-in page does, or with the path of another beginning and a session. */
export async function depart(
  app: TestApp,
  providerId: string,
  how: { readonly path?: string; readonly cookie?: string; readonly next?: string } = {},
): Promise<Departed> {
  const { path = '/session/sso', cookie, next } = how;
  const body = path === '/session/confirm/sso' ? {} : { providerId };
  const request = { method: 'POST', url: path, body: { ...body, ...(next ? { next } : {}) } } as const;
  const answer = await sendFromConsole(app, request, cookie);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  const [line = ''] = [answer.headers['set-cookie']].flat().map(String);
  assert.match(line, /HttpOnly; SameSite=Lax/);
  return { cookie: line.split(';')[0] ?? '', address: answer.body.result.address };
}

/** Follows the provider's redirects, as a browser does, to the address of the console that it sends back to. */
export async function visitProvider(address: string, jar = new Map<string, string>()): Promise<string> {
  let url = address;
  while (!url.startsWith(consoleOrigin)) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      jar.set(name, value);
    }
    const next = answer.headers.get('location');
    if (next === null) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
    url = new URL(next, url).href;
  }
  return url;
}

export interface Arrived {
  /** The page of the console, with its query. */
  readonly page: string;
  /** What the answer has put into the browser's cookies, by their names without the part that is the database's own. */
  readonly cookies: ReadonlyMap<string, string>;
}

/** Brings the provider's answer. */
export async function arrive(app: TestApp, url: string, cookie: string | undefined): Promise<Arrived> {
  const answer = await app.send({ method: 'GET', url: url.slice(consoleOrigin.length), headers: { cookie } });
  assert.equal(answer.status, 303, JSON.stringify(answer.body));
  const lines = [answer.headers['set-cookie'] ?? []].flat().map((line) => String(line).split(';')[0] ?? '');
  const pairs = lines.map((line): [string, string] => [
    (line.split('=')[0] ?? '').replace(/^pharos-\w{8}/, 'pharos'),
    line,
  ]);
  return { page: String(answer.headers['location']), cookies: new Map(pairs) };
}

/** The whole way. */
export async function goThrough(app: TestApp, providerId: string, how: Parameters<typeof depart>[2] = {}) {
  const { cookie, address } = await depart(app, providerId, how);
  return arrive(app, await visitProvider(address), cookie);
}

/** Who is signed in, as the console sees it. */
export async function whoIs(app: TestApp, { cookies }: Arrived) {
  const { body } = await sendFromConsole(app, { method: 'GET', url: '/session' }, cookies.get('pharos') ?? '');
  type Session = { adminId: string; email: string; name: string; role: string; apps: Reach; mustEnrol: boolean };
  return body.result as Session | undefined;
}

/** A service with an owner and a provider, where people of several groups have accounts. */
export class SignOnSite {
  readonly app: TestApp;
  readonly idp: IdentityProvider;
  readonly owner: Browser;
  readonly providerId: string;
  #people = 0;

  constructor({ app, idp, owner, providerId }: Pick<SignOnSite, 'app' | 'idp' | 'owner' | 'providerId'>) {
    this.app = app;
    this.idp = idp;
    this.owner = owner;
    this.providerId = providerId;
  }

  /** Before each test: the provider works, nobody visits it, and no address has used up its attempts. */
  calm(): void {
    this.idp.condition = 'up';
    this.idp.visitor = undefined;
    this.idp.amr = [];
    this.app.clock.now += 60_000;
  }

  /** Somebody at the provider, who is about to sign in. Returns the account there. */
  person(groups: readonly string[], more: object = {}): string {
    const account = `person${++this.#people}`;
    const email = `${account}@museum.example`;
    const names = { given_name: 'Pat', family_name: 'Example' };
    this.idp.accounts.set(account, { email, email_verified: true, ...names, groups, ...more });
    this.idp.visitor = account;
    return account;
  }

  /** Owners confirm what they change. */
  async asOwner(method: 'PUT' | 'DELETE' | 'POST', url: string, body?: object): Promise<Answer> {
    await this.owner.send({ method: 'POST', url: '/session/confirm', body: { password } });
    return this.owner.send({ method, url, ...(body ? { body } : {}) });
  }

  async close(): Promise<void> {
    await this.idp.close();
    await this.app.close();
  }
}

export async function openSignOnSite(database: DatabaseKind): Promise<SignOnSite> {
  const app = await buildApp({ database, settings: loopback });
  const idp = await startIdentityProvider();
  const owner = await openConsole(app, 'owner');
  return new SignOnSite({ app, idp, owner, providerId: await addProvider(owner, idp) });
}
