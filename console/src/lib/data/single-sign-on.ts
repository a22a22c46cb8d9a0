import { t } from '../words/words.ts';
import { call } from './api.ts';
import { createChannel } from './signing-in.ts';

/** The page that is shown, as the service takes it; the browser comes back to it. */
const ownPage = () => location.pathname.replace(/^\/console/, '') + location.search;

interface Started {
  readonly result: { readonly address: string };
}

let isGone = false;

/** The page is about to be left for a provider, which leads back to it, or reloaded; what was typed is kept as a draft. */
export const isLeaving = (): boolean => isGone;

/** Reloads the page. If something was typed that no draft keeps, the browser asks first, and the page may stay. */
export function loadAnew(): void {
  isGone = true;
  addEventListener('focus', () => (isGone = false), { once: true });
  location.reload();
}

/** Leaves the console for the provider. It never resolves: the page is gone. */
async function leave({ result }: Started): Promise<never> {
  isGone = true;
  location.assign(result.address);
  return new Promise<never>(() => undefined);
}

/** Where a window for signing in again ends. It notifies the pages behind it and closes. */
const returnPage = '/signed-in-again?window=own';
/** To all pages of this browser: somebody has come back from a provider. The window has lost its opener, because it was there in between. */
export const { tell: tellReturn, listen: onReturn } = createChannel('pharos signed in again');

/**
 * Goes to the provider in a window of its own, so that the page stays as it is. If the browser opens none, the page is left and
 * comes back: what was typed is a draft until then.
 */
async function inWindow(start: (next: string) => Promise<Started>): Promise<void> {
  const opened = window.open('', '', 'popup,width=540,height=720');
  if (!opened) return leave(await start(ownPage()));
  try {
    opened.location.assign((await start(returnPage)).result.address);
  } catch (error) {
    opened.close();
    throw error;
  }
}

/** `next`: the page to go on to; by default the one that is shown. */
export const signInThrough = async (providerId: string, next = ownPage()) =>
  leave(await call('startSingleSignOn', { body: { providerId, next } }));

/** Signs in again over the page; `onReturn` says when it is done. */
export const signInAgainThrough = (providerId: string) =>
  inWindow((next) => call('startSingleSignOn', { body: { providerId, next } }));

export const confirmThrough = () => inWindow((next) => call('startSsoConfirmation', { body: { next } }));

export const connectWith = async (providerId: string) =>
  leave(await call('startConnection', { body: { providerId, next: '/account' } }));

const problems: Readonly<Record<string, string>> = {
  again: t('That sign-in took too long, or was begun in another window. Try again.'),
  denied: t('You cancelled, or your organisation does not let you use this console.'),
  role: t('Your account belongs to no group that may use this console. Ask an owner, or whoever manages the groups.'),
  address: t(
    'Your organisation does not tell a verified e-mail address of yours. Ask whoever manages your account there.',
  ),
  taken: t(
    'There is an account with your e-mail address already. Sign in as before, and connect the two under “Sign-in and security”.',
  ),
  off: t('Your account is switched off. An owner can switch it on.'),
  clock: t('The clocks of this service and of your organisation differ too much. Tell whoever runs this service.'),
  provider: t(
    'The answer of your organisation could not be accepted. Try again; if it stays so, tell whoever runs this service.',
  ),
  down: t('Your organisation’s sign-in does not answer. Try again in a while.'),
  factor: t('A second factor is needed here. Sign in to your organisation with one.'),
  other: t('You signed in to your organisation as somebody else. Nothing was confirmed.'),
  connected: t('That account of your organisation belongs to another administrator here.'),
};

/** What the service says in the URL after a sign-in through a provider failed. */
export const problemText = (problem: string | undefined): string | undefined =>
  problem === undefined ? undefined : (problems[problem] ?? problems['again']);
