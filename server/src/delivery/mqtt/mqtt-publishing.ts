import type { Publish } from './mqtt-decode.ts';
import { reasons } from './mqtt-fault.ts';

export const publishLimits = Object.freeze({
  /** A message of 1 MiB, with the longest topic that there can be. */
  packetBytes: 1_114_112,
  /** Messages that are not stored yet. */
  underWay: 64,
  /** One for each message, and for each KiB of it. */
  tokensPerSecond: 500,
  tokenBurst: 2_000,
});

/** Takes what a client publishes. */
export interface Publisher {
  /** Resolves when it is stored; false: the client may not say this. Rejects if it cannot be stored now. */
  receive(message: Pick<Publish, 'topic' | 'payload' | 'retain'>): Promise<boolean>;
  /** Whether its credentials still let it in. */
  isValid(): Promise<boolean>;
}

export interface PublishingHost {
  acknowledge(messageId: number, reasonCode: number): void;
  /** There is room again. */
  goOn(): void;
  /** A message could not be stored: without an acknowledgement, the client sends it again. */
  fail(): void;
}

/**
 * What one client publishes, one message beside the other. While `isFull`, nothing more is read from it: one that sends too much waits, and
 * nobody else does.
 */
export class Publishing {
  readonly #publisher: Publisher;
  readonly #host: PublishingHost;
  #underWay = 0;
  #tokens: number = publishLimits.tokenBurst;
  #tokensAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  /** Acknowledgements leave in the order in which the messages came (MQTT-4.6.0-2). */
  #acknowledged: Promise<void> = Promise.resolve();

  constructor(publisher: Publisher, host: PublishingHost) {
    this.#publisher = publisher;
    this.#host = host;
  }

  get isFull(): boolean {
    return this.#underWay >= publishLimits.underWay || this.#timer !== undefined;
  }

  take(message: Publish): void {
    this.#spend(1 + message.payload.length / 1_024);
    this.#underWay++;
    const { messageId } = message;
    const before = this.#acknowledged;
    const stored = this.#publisher.receive(message);
    this.#acknowledged = stored
      .then(
        async (isAllowed) => {
          await before;
          if (messageId !== undefined) this.#host.acknowledge(messageId, isAllowed ? 0 : reasons.notAuthorized);
        },
        () => {
          if (messageId !== undefined) this.#host.fail();
        },
      )
      .finally(() => {
        this.#underWay--;
        if (!this.isFull) this.#host.goOn();
      });
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #spend(tokens: number): void {
    const now = performance.now();
    const grown = this.#tokens + ((now - this.#tokensAt) / 1_000) * publishLimits.tokensPerSecond;
    this.#tokens = Math.min(publishLimits.tokenBurst, grown) - tokens;
    this.#tokensAt = now;
    if (this.#tokens >= 0) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        if (!this.isFull) this.#host.goOn();
      },
      (-this.#tokens / publishLimits.tokensPerSecond) * 1_000,
    ).unref();
  }
}
