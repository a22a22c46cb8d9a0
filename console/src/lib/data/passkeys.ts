import { loadPart } from '../actions/load-part.ts';
import { t } from '../words/words.ts';
import { call } from './api.ts';

/** A browser has passkeys only on encrypted pages and on this machine, and binds them to a name. */
export function canUsePasskeys(): boolean {
  return 'PublicKeyCredential' in window && window.isSecureContext && !/^[\d.]+$|^\[/.test(location.hostname);
}

const library = () => loadPart(() => import('@simplewebauthn/browser'));
type Library = Awaited<ReturnType<typeof library>>;
type CreationOptions = Parameters<Library['startRegistration']>[0]['optionsJSON'];
type RequestOptions = Parameters<Library['startAuthentication']>[0]['optionsJSON'];

function said(error: unknown): Error {
  const { name, message } = error as Error;
  if (name === 'NotAllowedError' || name === 'AbortError')
    return new Error(t('No passkey was used. The dialog was closed, or this device has none for this console.'));
  if (name === 'InvalidStateError') return new Error(t('This device has a passkey of yours already.'));
  return new Error(t('The browser could not use a passkey: {message}', { message }));
}

async function sign(optionsJSON: RequestOptions) {
  const { startAuthentication } = await library();
  try {
    return await startAuthentication({ optionsJSON });
  } catch (error) {
    throw said(error);
  }
}

export async function signInWithPasskey() {
  const { result } = await call('startPasskeySignIn');
  const passkey = await sign(result as unknown as RequestOptions);
  return call('signInWithPasskey', { body: { passkey: passkey as never } });
}

export async function confirmWithPasskey() {
  const { result } = await call('startPasskeyConfirmation');
  const passkey = await sign(result as unknown as RequestOptions);
  return call('confirmSession', { body: { passkey: passkey as never } });
}

export async function createPasskey(options: object): Promise<never> {
  const { startRegistration } = await library();
  try {
    return (await startRegistration({ optionsJSON: options as CreationOptions })) as never;
  } catch (error) {
    throw said(error);
  }
}
