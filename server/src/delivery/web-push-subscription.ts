import { isPublicHost } from './public-address.ts';

export interface Subscription {
  readonly origin: string;
  readonly path: string;
  /** The browser's public key and secret, base64url. */
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/**
 * Reads the JSON text of a browser's PushSubscription. Whoever has the app's key chooses its endpoint, so only https
 * addresses of the public internet pass; `allowedOrigin` passes, too.
 *
 * @returns what is wrong with it, as text, when it cannot be used
 */
export function readSubscription(token: string, allowedOrigin?: string): Subscription | string {
  const { endpoint, keys } = parsed(token) as { endpoint?: unknown; keys?: { p256dh?: unknown; auth?: unknown } };
  if (typeof endpoint !== 'string' || !URL.canParse(endpoint))
    return 'The device token is not a Web Push subscription.';
  const url = new URL(endpoint);
  if (url.origin !== allowedOrigin) {
    if (url.protocol !== 'https:') return "The subscription's endpoint is not an https address.";
    if (!isPublicHost(url.hostname)) return "The subscription's endpoint is not on the public internet.";
  }
  const { p256dh, auth } = keys ?? {};
  if (!isBytes(p256dh, 65) || !isBytes(auth, 16)) return "The subscription's keys are not those of a browser.";
  return { origin: url.origin, path: url.pathname + url.search, keys: { p256dh, auth } };
}

function parsed(token: string): object {
  try {
    const value: unknown = JSON.parse(token);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function isBytes(text: unknown, length: number): text is string {
  return typeof text === 'string' && text.length < 200 && Buffer.from(text, 'base64url').length === length;
}
