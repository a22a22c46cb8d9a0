import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { PushContent, PushMessage, PushSender, PushTarget } from '../../src/delivery/push/push-sender.ts';

/** A recipient behind a provider, a broker or a port of the service. */
export interface Recipient {
  readonly target: PushTarget;
  /** The messages that have arrived, as text; those of a push service are decrypted. */
  received(): readonly string[];
}

export interface SenderPort {
  create(): PushSender;
  /** The maximum size of a message in bytes. */
  readonly maxBytes: number;
  /** A new recipient who accepts what arrives. */
  recipient(name: string): Promise<Recipient>;
  /** A recipient who reads and never answers. Missing behind a broker: the sender does not hear from recipients. */
  readonly mute?: (name: string) => Promise<Recipient & { readonly reached: Promise<unknown> }>;
  close(): Promise<void>;
}

const content: PushContent = {
  title: 'Lighthouse',
  body: 'You are near “Pharos” ⛵',
  link: 'https://example.org/pharos',
  data: { beaconId: 'B1', floor: 2, tags: ['a', 'b'] },
};

let made = 0;

export function pushMessage(more: Partial<PushMessage> = {}): PushMessage {
  const deliveryId = `delivery${String(++made).padStart(6, '0')}`;
  return { deliveryId, content, expiresAt: Date.now() + 120_000, urgency: 'high', ...more };
}

const never = new AbortController().signal;

/** What every sender has to do, whether it speaks HTTP or MQTT. */
export function describeSenderPort(
  name: string,
  open: () => Promise<SenderPort>,
  { hearsRecipients = true }: { readonly hearsRecipients?: boolean } = {},
): void {
  describe(`sender port: ${name}`, () => {
    let port: SenderPort;
    let sender: PushSender;
    beforeAll(async () => {
      port = await open();
      sender = port.create();
    });
    afterAll(async () => {
      await sender.close();
      await port.close();
    });

    test('a message is sent and arrives once, with the delivery id and the app’s data', async () => {
      const { target, received } = await port.recipient('ben');
      const message = pushMessage();
      assert.equal((await sender.send(message, target, never)).outcome, 'sent');
      const [text = '', ...more] = await until(received, 1);
      assert.equal(more.length, 0);
      for (const part of [message.deliveryId, 'B1', 'You are near “Pharos” ⛵', 'https://example.org/pharos']) {
        assert.ok(text.includes(part), `${part} in ${text}`);
      }
    });

    test('the same message again has the same delivery id', async () => {
      const { target, received } = await port.recipient('again');
      const message = pushMessage();
      for (const _ of [1, 2]) assert.equal((await sender.send(message, target, never)).outcome, 'sent');
      const texts = await until(received, 2);
      assert.equal(texts.filter((text) => text.includes(message.deliveryId)).length, 2);
    });

    test('a message over the limit has failed, says the sizes, and never leaves', async () => {
      const { target, received } = await port.recipient('max');
      const large = pushMessage({ content: { ...content, data: { text: 'é'.repeat(port.maxBytes / 2) } } });
      const result = await sender.send(large, target, never);
      assert.ok(result.outcome === 'failed' && result.reason.includes(String(port.maxBytes)), JSON.stringify(result));
      assert.match(result.reason, /[1-9]\d{3,} bytes/);
      assert.equal((await sender.send(pushMessage(), target, never)).outcome, 'sent');
      assert.equal((await until(received, 1)).length, 1, 'only the one after it has come');
    });

    test('a call that was aborted before it began sends nothing, and is tried again', async () => {
      const { target, received } = await port.recipient('lea');
      const result = await sender.send(pushMessage(), target, AbortSignal.abort());
      assert.equal(result.outcome, 'retry');
      assert.equal((await sender.send(pushMessage(), target, never)).outcome, 'sent');
      assert.equal((await until(received, 1)).length, 1);
    });

    const testHearing = hearsRecipients ? test : () => undefined;
    testHearing('an aborted signal ends the call of one who does not answer, as retry', async () => {
      assert.ok(port.mute);
      const { target, reached } = await port.mute('mute');
      const stop = new AbortController();
      const sending = sender.send(pushMessage(), target, stop.signal);
      await reached;
      stop.abort();
      assert.equal((await sending).outcome, 'retry');
    });

    // Few to each: a device's window is small, and a message that finds it full is told to come again.
    test('hundreds at once: each is sent once', async () => {
      const all = await Promise.all(Array.from({ length: 50 }, (_, n) => port.recipient(`many${n}`)));
      const results = await Promise.all(
        Array.from({ length: 400 }, (_, n) => sender.send(pushMessage(), (all[n % 50] as Recipient).target, never)),
      );
      assert.deepEqual(
        results.filter(({ outcome }) => outcome !== 'sent'),
        [],
      );
      for (const { received } of all) {
        const ids = (await until(received, 8)).map((text) => /delivery\d{6}/.exec(text)?.[0]);
        assert.deepEqual([ids.length, new Set(ids).size], [8, 8]);
      }
    });

    test('closing lets the messages under way end, and takes no more', async () => {
      const { target, received } = await port.recipient('ole');
      const closing = port.create();
      const sending = Promise.all(Array.from({ length: 8 }, () => closing.send(pushMessage(), target, never)));
      await closing.close();
      assert.ok((await sending).every(({ outcome }) => outcome === 'sent'));
      assert.equal((await closing.send(pushMessage(), target, never)).outcome, 'retry');
      assert.equal((await until(received, 8)).length, 8);
    });

    test('trying the credentials sends nothing to anybody', async () => {
      const { received } = await port.recipient('quiet');
      const answer = await sender.test(never);
      assert.equal(answer.ok, true, answer.text);
      assert.deepEqual(received(), []);
    });
  });
}

/** The messages once there are this many; a broker answers the sender before the recipient has them. */
async function until(received: () => readonly string[], count: number): Promise<readonly string[]> {
  while (received().length < count) await new Promise((resolve) => setImmediate(resolve));
  return received();
}
