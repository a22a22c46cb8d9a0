import { type PushMessage, type PushSender, type PushTarget, type SendResult, sent } from '../push/push-sender.ts';
import { tracked, unlessAborted } from '../push/tracked-sender.ts';
import type { DeviceBroker } from './mqtt-device-broker.ts';
import type { Published } from './mqtt-in-flight.ts';
import { renderMessage } from './mqtt-message.ts';

export interface EmbeddedDeps {
  /** Of this node; undefined if the service does not listen for devices. */
  readonly broker: DeviceBroker | undefined;
  readonly appId: string;
  readonly now: () => number;
  /** How long a device may take to acknowledge (ms). */
  readonly timeoutMs: number;
}

const isOff = 'This service does not listen for devices; set PHAROS_MQTT_PORT.';

/**
 * MQTT through the service's own port. `sent` means that the device has acknowledged the message (QoS 1); while it is
 * away, the message stays in the outbox.
 */
export function createEmbeddedMqttSender({ broker, appId, now, timeoutMs }: EmbeddedDeps): PushSender {
  async function publish(message: PushMessage, target: PushTarget): Promise<SendResult> {
    const payload = renderMessage(message, target.token);
    if (!Buffer.isBuffer(payload)) return payload;
    if (!broker) return { outcome: 'retry', reason: isOff, scope: 'provider', afterMs: 60_000 };
    const leftMs = Math.max(0, message.expiresAt - now());
    const seconds = Math.max(1, Math.ceil(leftMs / 1000));
    const published = await broker.publish({
      id: message.deliveryId,
      appId,
      topic: target.token,
      payload,
      timeoutMs,
      seconds,
    });
    return resultOf(published, leftMs);
  }

  return tracked({
    send: (message, target, signal) => unlessAborted(signal, () => publish(message, target)),
    async test() {
      if (!broker) return { ok: false, text: isOff };
      return { ok: true, text: `Devices connect to port ${broker.port}; ${broker.connections} are connected now.` };
    },
    // The port belongs to the service.
    close: async () => undefined,
  });
}

/** A short pause for a message that will soon be outdated, a longer one for what can wait: 2 s to a minute. */
const patience = (leftMs: number) => Math.min(60_000, Math.max(2_000, leftMs / 20));

function resultOf(published: Published, leftMs: number): SendResult {
  const retry = (reason: string, afterMs: number): SendResult => ({
    outcome: 'retry',
    reason,
    scope: 'message',
    afterMs,
  });
  switch (published) {
    case 'acknowledged':
      return sent;
    case 'refused':
      return { outcome: 'failed', reason: 'The device refused the message.' };
    case 'too large':
      return { outcome: 'failed', reason: 'The message is larger than the device accepts.' };
    case 'busy':
      return retry('The device has not yet acknowledged the earlier messages.', 1_000);
    case 'unanswered':
      return retry('The device did not acknowledge the message.', 2_000);
    case 'absent':
      return retry('No device is listening to this topic now.', patience(leftMs));
  }
}
