import { createHmac, randomBytes } from 'node:crypto';

/** Standard Webhooks 1.0: symmetric signatures. The secret is `whsec_` and the key's bytes in base64. */

const prefix = 'whsec_';

export const newWebhookSecret = (): string => prefix + randomBytes(32).toString('base64');

export interface Signed {
  readonly id: string;
  /** Epoch milliseconds; the header has seconds. */
  readonly at: number;
  readonly body: string;
}

/** The headers of a call. With several secrets (while one replaces another) any one of the signatures counts. */
export function signatureHeaders({ id, at, body }: Signed, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
