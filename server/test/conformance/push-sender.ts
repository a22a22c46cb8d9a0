import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type {
  PushSender,
  PushTarget,
  SenderDefinition,
  SenderDeps,
  SendResult,
} from '../../src/delivery/push/push-sender.ts';
import type { Behaviour } from '../fakes/exchange.ts';
import { type PushProvider, type Received, startPushProvider } from '../fakes/push-provider.ts';
import { patientMs } from '../support/patience.ts';
import { describeSenderPort, pushMessage } from './sender-port.ts';

export { pushMessage };

export interface SenderUnderTest<Settings> {
  readonly definition: SenderDefinition<Settings>;
  /** What an administrator would enter for this provider. */
  entered(provider: PushProvider): unknown;
  target(provider: PushProvider, name: string): PushTarget;
  /** What identifies two requests as the same message: ids in headers and body. */
  ids(received: Received): unknown;
  /** Whether the provider's 429 and 503 hold up everything or only this message. */
  readonly scopes: { readonly tooMany: 'message' | 'provider'; readonly unavailable: 'message' | 'provider' };
  /** `since` of a dead token, if the provider reports it. */
  readonly deadSince?: number;
  readonly http1?: boolean;
}

const never = new AbortController().signal;

/** What every sender that uses HTTP has to do, in addition to what every sender has to do. */
export function describePushSender<Settings>(name: string, subject: SenderUnderTest<Settings>): void {
  describeSenderPort(name, async () => {
    const provider = await startPushProvider({ http1: subject.http1 ?? false });
    const { definition } = subject;
    const settings = definition.read(subject.entered(provider));
    const { origin, ca } = provider;
    const recipient = async (who: string) => ({
      target: subject.target(provider, who),
      received: () => provider.received.filter((each) => each.recipient === who).map((each) => JSON.stringify(each)),
    });
    return {
      create: () => definition.create(settings, { now: Date.now, timeoutMs: patientMs, network: { origin, ca } }),
      maxBytes: definition.maxBytes,
      recipient,
      mute: async (who) => {
        provider.tell(who, 'hang');
        return { ...(await recipient(who)), reached: provider.reached(who) };
      },
      close: () => provider.close(),
    };
  });

  describe(`push sender: ${name}`, () => {
    let provider: PushProvider;
    let sender: PushSender;
    beforeAll(async () => {
      provider = await startPushProvider({ http1: subject.http1 ?? false });
      sender = create({ timeoutMs: patientMs });
    });
    afterAll(async () => {
      await sender.close();
      await provider.close();
    });

    function create(more: Partial<SenderDeps>, origin = provider.origin): PushSender {
      const settings = subject.definition.read(subject.entered(provider));
      const network = { origin, ca: provider.ca };
      return subject.definition.create(settings, { now: Date.now, timeoutMs: patientMs, network, ...more });
    }

    function of(recipient: string): Received[] {
      return provider.received.filter((each) => each.recipient === recipient);
    }

    async function send(recipient: string, message = pushMessage(), through = sender): Promise<SendResult> {
      return through.send(message, subject.target(provider, recipient), never);
    }

    test('a token that reaches nobody any more is dead', async () => {
      provider.tell('cid', 'gone');
      const result = await send('cid');
      assert.equal(result.outcome, 'dead', JSON.stringify(result));
      assert.equal(result.outcome === 'dead' && result.since, subject.deadSince);
    });

    test('too many: retry after what the provider asks for', async () => {
      provider.tell('dan', 'tooMany');
      const result = await send('dan');
      assert.deepEqual(
        { ...result, reason: '' },
        { outcome: 'retry', reason: '', afterMs: 3000, scope: subject.scopes.tooMany },
      );
      assert.equal((await send('dan')).outcome, 'sent');
    });

    test('a provider that is down: retry', async () => {
      provider.tell('eve', 'unavailable');
      const result = await send('eve');
      assert.deepEqual({ ...result, reason: '' }, { outcome: 'retry', reason: '', scope: subject.scopes.unavailable });
    });

    test('an answer that is no answer of the provider: retry, and its words are bounded', async () => {
      provider.tell('fay', 'garbage');
      const result = await send('fay');
      assert.equal(result.outcome, 'retry');
      assert.ok(result.outcome === 'retry' && result.reason.includes('Oops') && result.reason.length <= 300);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be in it
      assert.ok(result.outcome === 'retry' && !/[\u0000-\u001f]/.test(result.reason));
    });

    test('a message that the provider refuses has failed, with the provider’s words', async () => {
      provider.tell('gil', {
        status: 403,
        body: '{"error":{"status":"PERMISSION_DENIED","message":"Not you"},"reason":"Not you"}',
      });
      const result = await send('gil');
      assert.ok(result.outcome === 'failed' && result.reason.includes('Not you'), JSON.stringify(result));
    });

    for (const behaviour of ['break', 'goaway'] satisfies Behaviour[]) {
      test(`a connection that ends after the request (${behaviour}): retry, and again under the same ids`, async () => {
        const message = pushMessage();
        provider.tell(behaviour, behaviour);
        const first = await send(behaviour, message);
        assert.equal(first.outcome, 'retry', JSON.stringify(first));
        assert.equal((await send(behaviour, message)).outcome, 'sent');
        const [one, two, ...more] = of(behaviour);
        assert.ok(one && two && more.length === 0);
        assert.deepEqual(subject.ids(one), subject.ids(two));
        assert.ok(!JSON.stringify(subject.ids(one)).includes('null'));
      });
    }

    // HTTP/1.1 cannot say so.
    const testHttp2 = subject.http1 ? () => undefined : test;
    testHttp2('what the provider has not looked at goes again by itself', async () => {
      provider.tell('hal', 'refuse', 'refuse');
      assert.equal((await send('hal')).outcome, 'sent');
      assert.deepEqual(
        of('hal').map(({ status }) => status),
        [undefined, undefined, of('hal')[2]?.status],
      );
    });

    test('no answer ends at the time-out, as retry', async () => {
      const hurried = create({ timeoutMs: 300 });
      provider.tell('ida', 'hang');
      const result = await send('ida', pushMessage(), hurried);
      assert.ok(result.outcome === 'retry' && /300 ms/.test(result.reason), JSON.stringify(result));
      let again = await send('ida', pushMessage(), hurried);
      // On a busy machine the answer may take longer than this sender waits.
      while (again.outcome === 'retry') again = await send('ida', pushMessage(), hurried);
      assert.equal(again.outcome, 'sent');
      await hurried.close();
    });

    test('a provider that cannot be reached: retry', async () => {
      const lost = create({}, 'https://localhost:1');
      const target = subject.target(provider, 'jon');
      const elsewhere = { ...target, token: target.token.replace(provider.origin, 'https://localhost:1') };
      const result = await lost.send(pushMessage(), elsewhere, never);
      const scope = subject.scopes.unavailable;
      assert.deepEqual({ ...result, reason: '' }, { outcome: 'retry', reason: '', scope });
      await lost.close();
    });

    test('a provider with another certificate is not spoken to', async () => {
      const other = await startPushProvider();
      const wary = create({ network: { origin: provider.origin, ca: other.ca } });
      const result = await send('kim', pushMessage(), wary);
      assert.ok(result.outcome === 'retry' && /certificate/i.test(result.reason), JSON.stringify(result));
      assert.equal(of('kim').length, 0);
      await Promise.all([wary.close(), other.close()]);
    });

    test('a message of just the limit is sent', async () => {
      const { maxBytes } = subject.definition;
      let outcome: SendResult = { outcome: 'failed', reason: '' };
      for (let length = maxBytes; outcome.outcome === 'failed'; length--) {
        outcome = await send('ned', pushMessage({ content: { title: 'a', data: { t: 'a'.repeat(length) } } }));
      }
      assert.equal(outcome.outcome, 'sent', JSON.stringify(outcome));
      assert.equal(of('ned').length, 1, 'one byte more was refused here, not by the provider');
    });

    test('a thousand at once: each is sent once', async () => {
      const recipients = Array.from({ length: 1000 }, (_, index) => `many${index}`);
      const results = await Promise.all(recipients.map((recipient) => send(recipient)));
      assert.deepEqual(
        results.filter(({ outcome }) => outcome !== 'sent'),
        [],
      );
      const reached = provider.received.filter(({ recipient }) => recipient.startsWith('many'));
      assert.deepEqual([reached.length, new Set(reached.map(({ recipient }) => recipient)).size], [1000, 1000]);
      assert.ok(provider.peak <= 100, `${provider.peak} at once on a connection that takes 100`);
    });

    test('what is shown of the settings holds no secret', () => {
      const settings = subject.definition.read(subject.entered(provider));
      const shown = JSON.stringify(subject.definition.summarise(settings));
      const { privateKey, key } = settings as { privateKey?: string; key?: string };
      const secret = privateKey ?? key ?? '';
      assert.ok(secret.length > 20 && !shown.includes(secret) && !shown.includes('PRIVATE'));
    });

    test('settings survive being stored as JSON and read again', () => {
      const settings = subject.definition.read(subject.entered(provider));
      assert.deepEqual(JSON.parse(JSON.stringify(settings)), settings);
    });
  });
}
