import { fail, type Problem } from '../../../base/errors.ts';
import type { TargetRules } from '../../provider/target-rules.ts';
import type {
  PushMessage,
  PushSender,
  PushTarget,
  SenderDefinition,
  SendResult,
  TestAnswer,
} from '../../push/push-sender.ts';
import { sent } from '../../push/push-sender.ts';
import { tracked, unlessAborted } from '../../push/tracked-sender.ts';
import { maxMessageBytes, renderMessage, topicProblem } from '../mqtt-message.ts';
import { BrokerClient, BrokerUnavailable } from './mqtt-broker-client.ts';

export interface BrokerSettings {
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  /** Prefix of every topic, so that several apps can share a broker. */
  readonly topicPrefix?: string;
}

/**
 * MQTT through a broker of the app's owner. `sent` means that the broker has the message; devices that are away are the
 * broker's concern.
 */
export function brokerDefinition(targets: TargetRules): SenderDefinition<BrokerSettings> {
  return {
    kind: 'mqtt',
    name: 'MQTT broker',
    maxBytes: maxMessageBytes,
    read: readSettings,
    summarise({ url, username, topicPrefix }) {
      return { url, ...(username ? { username } : {}), ...(topicPrefix ? { topicPrefix } : {}) };
    },
    create: (settings, deps) => createSender(settings, { ...deps, targets }),
  };
}

const texts = ['url', 'username', 'password', 'topicPrefix'] as const;

function readSettings(entered: unknown): BrokerSettings {
  const given = (typeof entered === 'object' && entered !== null ? entered : {}) as Readonly<Record<string, unknown>>;
  const details: Problem[] = [];
  const values: Partial<Record<(typeof texts)[number], string>> = {};
  for (const name of texts) {
    const value = given[name] ?? '';
    if (typeof value !== 'string' || value.length > 1000)
      details.push({ field: name, problem: 'must be a text of at most 1,000 characters' });
    else if (value !== '') values[name] = value;
  }
  const { url = '', topicPrefix = '' } = values;
  const urlProblem = details.some(({ field }) => field === 'url') ? undefined : problemOfUrl(url);
  if (urlProblem) details.push({ field: 'url', problem: urlProblem });
  if (topicPrefix !== '' && topicProblem(topicPrefix))
    details.push({ field: 'topicPrefix', problem: 'must be the beginning of a topic, without wildcards' });
  if (values.password !== undefined && values.username === undefined)
    details.push({ field: 'username', problem: 'is required with a password' });
  if (details.length > 0)
    throw fail('ValidationError', { details, message: `${details[0]?.field} ${details[0]?.problem}.` });
  return { ...values, url };
}

function problemOfUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['mqtt:', 'mqtts:'].includes(url.protocol) || url.hostname === '')
    return 'must be an address such as mqtts://broker.example.org:8883';
  if (url.username !== '' || url.password !== '')
    return 'must not contain a user name or password; they have their own fields';
  return undefined;
}

interface Deps {
  readonly now: () => number;
  readonly timeoutMs: number;
  readonly targets: TargetRules;
}

function createSender(settings: BrokerSettings, { now, timeoutMs, targets }: Deps): PushSender {
  const client = new BrokerClient(settings, { targets, timeoutMs });

  async function publish(message: PushMessage, target: PushTarget): Promise<SendResult> {
    const topic = `${settings.topicPrefix ?? ''}${target.token}`;
    const payload = renderMessage(message, topic);
    if (!Buffer.isBuffer(payload)) return payload;
    const seconds = Math.max(1, Math.ceil((message.expiresAt - now()) / 1000));
    try {
      await client.publish(topic, payload, seconds);
      return sent;
    } catch (error) {
      return resultOf(error as Error & { readonly code?: unknown });
    }
  }

  return tracked({
    send: (message, target, signal) => unlessAborted(signal, () => publish(message, target)),
    async test(): Promise<TestAnswer> {
      // Uses a new connection: an open one would prove nothing about the settings just entered.
      const fresh = new BrokerClient(settings, { targets, timeoutMs });
      try {
        await fresh.connect();
        return { ok: true, text: `Connected to ${settings.url} and logged in.` };
      } catch (error) {
        return { ok: false, text: `${settings.url}: ${(error as Error).message}.` };
      } finally {
        await fresh.close();
      }
    },
    close: () => client.close(),
  });
}

/** 5.0, table 2-4: what will never be accepted. Everything else may succeed later. */
const finalCodes: ReadonlySet<unknown> = new Set([0x87, 0x90, 0x95, 0x99, 0x9a, 0x9b]);

function resultOf(error: Error & { readonly code?: unknown }): SendResult {
  const { message, code } = error;
  // Only an answer of the broker itself has a reason code; everything else is an error of the connection.
  if (error instanceof BrokerUnavailable || typeof code !== 'number')
    return { outcome: 'retry', reason: `No connection to the broker: ${message}.`, scope: 'provider' };
  if (finalCodes.has(code)) return { outcome: 'failed', reason: `The broker refused the message: ${message}.` };
  return { outcome: 'retry', reason: `The broker did not accept the message: ${message}.`, scope: 'message' };
}
