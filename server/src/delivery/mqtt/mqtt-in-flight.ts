/** The result of a message: acknowledged by the device, refused, or unknown (to be sent again later). */
export type Published = 'acknowledged' | 'refused' | 'too large' | 'absent' | 'busy' | 'unanswered';

interface Waiting {
  readonly resolve: (published: Published) => void;
  readonly timer: NodeJS.Timeout;
}

/** Messages of one connection that wait for their PUBACK, a few at a time. */
export class InFlight {
  readonly #waiting = new Map<number, Waiting>();
  #places = 8;
  #lastId = 0;

  /** The client accepts fewer at a time (5.0, Receive Maximum). */
  narrow(places: number): void {
    this.#places = Math.max(1, Math.min(this.#places, places));
  }

  /** Undefined when all slots are taken. `onLate`: no answer came in time. */
  open(timeoutMs: number, onLate: () => void): { messageId: number; result: Promise<Published> } | undefined {
    if (this.#waiting.size >= this.#places) return undefined;
    do this.#lastId = (this.#lastId % 65_535) + 1;
    while (this.#waiting.has(this.#lastId));
    const messageId = this.#lastId;
    const result = new Promise<Published>((resolve) => {
      const timer = setTimeout(() => {
        this.take(messageId, 'unanswered');
        onLate();
      }, timeoutMs);
      this.#waiting.set(messageId, { resolve, timer });
    });
    return { messageId, result };
  }

  take(messageId: number, published: Published): void {
    const waiting = this.#waiting.get(messageId);
    if (!waiting) return;
    this.#waiting.delete(messageId);
    clearTimeout(waiting.timer);
    waiting.resolve(published);
  }

  end(): void {
    for (const messageId of [...this.#waiting.keys()]) this.take(messageId, 'unanswered');
  }
}
