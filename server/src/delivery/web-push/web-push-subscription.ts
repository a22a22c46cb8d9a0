import { isPublicHost } from '../provider/public-address.ts';

export interface Subscription {
  readonly origin: string;
  readonly path: string;
  /** The browser's public key and secret, base64url. */
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/**
 * Reads the JSON text of a browser's PushSubscription. Anyone with the app's key can choose its endpoint, so only https
 * addresses of the public internet are accepted, and `allowedOrigin`.
 *
 * @returns what is wrong with it, as text, when it cannot be used
 */
export function readSubscription(token: string, allowedOrigin?: string): Subscription | string {
  const { endpoint, keys } = parsed(token);
  if (typeof endpoint !== 'string' || !URL.canParse(endpoint))
    return 'The device token is not a Web Push subscription.';
  const fault = endpointFault(endpoint, allowedOrigin);
  if (fault !== undefined) return `The subscription's endpoint ${fault}.`;
  const url = new URL(endpoint);
  const { p256dh, auth } = keys ?? {};
  if (!isBytes(p256dh, 65) || !isBytes(auth, 16)) return "The subscription's keys are not those of a browser.";
  return { origin: url.origin, path: url.pathname + url.search, keys: { p256dh, auth } };
}

/**
 * Why nothing is sent to an endpoint, as the end of a sentence, as far as that is known without resolving its name.
 * Push services listen on 443, private ones also on a port of 1024 and above; lower ports belong to other protocols.
 */
function endpointFault(endpoint: string, allowedOrigin?: string): string | undefined {
  if (!URL.canParse(endpoint)) return 'is not an https address';
  const { origin, protocol, hostname, username, password, port } = new URL(endpoint);
  if (username !== '' || password !== '') return 'contains a user name or password';
  if (origin === allowedOrigin) return undefined;
  if (protocol !== 'https:') return 'is not an https address';
  if (!isPublicHost(hostname)) return 'is not on the public internet';
  return port !== '' && Number(port) < 1024 ? 'has a port of another protocol' : undefined;
}

/** The same for the endpoint in a device token; also undefined if the token is not a subscription. */
export function subscriptionFault(token: string, allowedOrigin?: string): string | undefined {
  const { endpoint } = parsed(token);
  const fault = typeof endpoint === 'string' ? endpointFault(endpoint, allowedOrigin) : undefined;
  return fault && `has an endpoint that ${fault}`;
}

interface Parsed {
  readonly endpoint?: unknown;
  readonly keys?: { readonly p256dh?: unknown; readonly auth?: unknown };
}

function parsed(token: string): Parsed {
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
