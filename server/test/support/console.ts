import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { AdminRole } from '../../src/access/roles.ts';
import type { Answer, SentRequest, TestApp } from './build-app.ts';
import { SoftwarePasskey } from './servers/software-passkey.ts';

export const consoleOrigin = 'http://pharos.test';
export const password = 'a long enough secret';

/** A browser in which one administrator is signed in. */
export interface Browser {
  readonly adminId: string;
  readonly email: string;
  /** The Cookie header. */
  readonly cookie: string;
  /** Sends from a page of the console; `url` is below `/console/api`. A header given as undefined is left out. */
  send(request: SentRequest): Promise<Answer>;
}

/** Sends as a page of the console would, signed in or not. */
export function sendFromConsole(app: TestApp, request: SentRequest, cookie?: string): Promise<Answer> {
  const headers = { origin: consoleOrigin, cookie, ...request.headers };
  return app.send({ ...request, url: `/console/api${request.url}`, headers });
}

export function cookieOf(answer: Answer): string {
  const [pair = ''] = String(answer.headers['set-cookie']).split(';');
  return pair;
}

export function browserOf(app: TestApp, answer: Answer): Browser {
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  const cookie = cookieOf(answer);
  const { adminId, email } = answer.body.result;
  return { adminId, email, cookie, send: (request) => sendFromConsole(app, request, cookie) };
}

export function signInToConsole(app: TestApp, email: string): Promise<Answer> {
  return sendFromConsole(app, { method: 'POST', url: '/session', body: { email, password } });
}

/** What every refusal of the console's interface has in common. */
export function assertConsoleRefusal(answer: Answer, status: number, code: number, name: string): void {
  const { error } = answer.body;
  assert.deepEqual(
    { status: answer.status, code: error?.code, outer: answer.body.code, name: error?.name },
    { status, code, outer: code, name },
  );
  assert.equal(error.requestId, answer.headers['x-request-id']);
  assert.equal(answer.headers['cache-control'], 'no-store');
}

/** Makes an administrator with the role and signs in. */
export async function openConsole(app: TestApp, role: AdminRole): Promise<Browser> {
  const email = `${role}${people++}@museum.example`;
  await app.app.admins.create({ email, name: role, role, password }, { name: 'test', address: null });
  return browserOf(app, await signInToConsole(app, email));
}

let people = 0;

/** The code that an authenticator app with this secret shows at a time (RFC 6238). */
export function codeAt(secret: string, now: number): string {
  const bits = [...secret].map((letter) => base32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(now / 30_000)));
  const mac = createHmac('sha1', key).update(step).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Sets up an authenticator app for the signed-in administrator. */
export async function enrolTotp(app: TestApp, browser: Browser) {
  const started = await browser.send({ method: 'POST', url: '/session/totp' });
  assert.equal(started.status, 201, JSON.stringify(started.body));
  const { secret } = started.body.result as { secret: string };
  const code = codeAt(secret, app.clock.now);
  const done = await browser.send({ method: 'PUT', url: '/session/totp', body: { code } });
  assert.equal(done.status, 200, JSON.stringify(done.body));
  return { secret, code, recoveryCodes: done.body.result.recoveryCodes as readonly string[] };
}

/** Adds a passkey in software for the signed-in administrator. */
export async function enrolPasskey(browser: Browser, key = new SoftwarePasskey(consoleOrigin), name = 'Blue key') {
  const started = await browser.send({ method: 'POST', url: '/session/passkeys/challenge' });
  assert.equal(started.status, 201, JSON.stringify(started.body));
  const body = { name, passkey: key.register(started.body.result) };
  const done = await browser.send({ method: 'POST', url: '/session/passkeys', body });
  assert.equal(done.status, 201, JSON.stringify(done.body));
  return { key, ...(done.body.result as { passkey: { passkeyId: string }; recoveryCodes: readonly string[] }) };
}
