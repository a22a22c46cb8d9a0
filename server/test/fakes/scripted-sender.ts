import type {
  PushMessage,
  PushSender,
  PushSenderKind,
  PushTarget,
  SenderDefinition,
  SendResult,
} from '../../src/delivery/push/push-sender.ts';

export interface SentMessage {
  readonly message: PushMessage;
  readonly target: PushTarget;
}

type Script = (sent: SentMessage, signal: AbortSignal) => SendResult | Promise<SendResult>;

/** A provider that answers as the test says. The real senders have their own tests against a real server. */
export class ScriptedSender implements PushSender {
  readonly calls: SentMessage[] = [];
  script: Script = () => ({ outcome: 'sent' });

  async send(message: PushMessage, target: PushTarget, signal: AbortSignal): Promise<SendResult> {
    this.calls.push({ message, target });
    return this.script({ message, target }, signal);
  }

  async test() {
    return { ok: true, text: 'The script says yes.' };
  }

  async close() {}

  definition(kind: PushSenderKind): SenderDefinition {
    return {
      kind,
      name: kind === 'fcm' ? 'Firebase Cloud Messaging' : kind,
      maxBytes: 4096,
      read: (entered) => entered,
      summarise: () => ({ account: 'scripted' }),
      create: () => this,
    };
  }
}
