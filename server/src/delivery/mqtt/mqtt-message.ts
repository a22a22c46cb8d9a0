import type { PushMessage, SendResult } from '../push/push-sender.ts';

/** The maximum size of a message as JSON. */
export const maxMessageBytes = 32_768;

/** What a device reads: JSON, UTF-8. Or why that cannot be published to the topic. */
export function renderMessage({ deliveryId, content, expiresAt }: PushMessage, topic: string): Buffer | SendResult {
  const problem = topicProblem(topic);
  if (problem !== undefined) return { outcome: 'failed', reason: problem };
  const { data, ...shown } = content;
  const text = JSON.stringify({ deliveryId, ...shown, data, expiresAt: new Date(expiresAt).toISOString() });
  const payload = Buffer.from(text);
  if (payload.length <= maxMessageBytes) return payload;
  const reason = `The message has ${payload.length} bytes; at most ${maxMessageBytes} are possible.`;
  return { outcome: 'failed', reason };
}

/** Why nothing can be published to this topic, as a sentence; undefined if it can. */
export function topicProblem(topic: string): string | undefined {
  const fault = protocolFault(topic);
  return fault && `The topic ${fault}.`;
}

/**
 * What is wrong with a new topic, as the end of a sentence about it. MQTT would take levels without a name, but nobody means them. One slash
 * at the beginning or the end is common.
 */
export function topicFault(topic: string): string | undefined {
  const levels = topic.replace(/^\/|\/$/g, '').split('/');
  const isNamed = levels.every((level) => level.trim() !== '');
  return protocolFault(topic) ?? (isNamed ? undefined : 'has a level that is empty or blank');
}

/** MQTT 5.0, 4.7: wildcards are only for filters. */
function protocolFault(topic: string): string | undefined {
  if (topic === '') return 'is empty';
  if (Buffer.byteLength(topic) > 1024) return 'is longer than 1,024 bytes';
  if (/[+#]/.test(topic)) return 'contains a wildcard (+ or #), to which nothing can be published';
  if (topic.startsWith('$')) return 'begins with $, which is for topics of the broker itself';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: MQTT 5.0, 1.5.4
  return /[\u0000-\u001f\u007f-\u009f]/.test(topic) ? 'contains a control character' : undefined;
}
