import assert from 'node:assert/strict';
import type { AdminRole } from '../../src/access/roles.ts';
import type { Answer, SentRequest, TestApp } from './build-app.ts';

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

/** Makes an administrator with the role and signs in. */
export async function openConsole(app: TestApp, role: AdminRole): Promise<Browser> {
  const email = `${role}${people++}@museum.example`;
  await app.app.admins.create({ email, name: role, role, password }, { name: 'test', address: null });
  return browserOf(app, await signInToConsole(app, email));
}

let people = 0;
