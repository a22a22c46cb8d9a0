/**
 * The thread that encrypts Web Push messages. Work goes back and forth in batches: a message at a time would cost a
 * wake-up each.
 */
import { parentPort } from 'node:worker_threads';
import { encryptForSubscription } from './web-push-encryption.ts';

/** Texts, because they cross to another thread faster than many small byte arrays. */
export interface EncryptionTask {
  readonly id: number;
  /** The subscription's keys in base64url. */
  readonly p256dh: string;
  readonly auth: string;
  readonly plaintext: string;
}

/** The bodies of a batch one after the other; an empty one stands for a subscription with an invalid key. */
export interface EncryptionDone {
  readonly ids: readonly number[];
  readonly lengths: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

function encrypt({ p256dh, auth, plaintext }: EncryptionTask): Buffer {
  try {
    const keys = { p256dh: Buffer.from(p256dh, 'base64url'), auth: Buffer.from(auth, 'base64url') };
    return encryptForSubscription(keys, Buffer.from(plaintext));
  } catch {
    return Buffer.alloc(0);
  }
}

parentPort?.on('message', (tasks: readonly EncryptionTask[]) => {
  const bodies = tasks.map(encrypt);
  const bytes = new Uint8Array(bodies.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const body of bodies) {
    bytes.set(body, offset);
    offset += body.length;
  }
  const done: EncryptionDone = { ids: tasks.map(({ id }) => id), lengths: bodies.map(({ length }) => length), bytes };
  parentPort?.postMessage(done, [bytes.buffer]);
});
