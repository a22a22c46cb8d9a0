/**
 * Limits concurrent calls: a few per webhook and some more per app, so that a slow receiver delays only its own
 * deliveries. A call that finds no free slot is told when to come back. These times are spaced at the pace that the
 * receiver has shown, so that a long queue is not claimed again and again.
 */
export class ConcurrencySlots {
  static readonly perWebhook = 4;
  static readonly perApp = 16;
  readonly #running = new Map<string, number>();
  readonly #pace = new Map<string, { meanMs: number; nextAt: number }>();

  /** Undefined: go ahead, and call `release` afterwards. Otherwise the pause in ms. */
  acquire(appId: string, webhookId: string, now: number): number | undefined {
    const ofApp = this.#running.get(appId) ?? 0;
    const ofWebhook = this.#running.get(webhookId) ?? 0;
    if (ofApp < ConcurrencySlots.perApp && ofWebhook < ConcurrencySlots.perWebhook) {
      this.#running.set(appId, ofApp + 1);
      this.#running.set(webhookId, ofWebhook + 1);
      return undefined;
    }
    const pace = this.#pace.get(webhookId) ?? { meanMs: 200, nextAt: 0 };
    pace.nextAt = Math.max(pace.nextAt, now) + pace.meanMs / ConcurrencySlots.perWebhook;
    this.#pace.set(webhookId, pace);
    return Math.min(maxPauseMs, Math.max(minPauseMs, pace.nextAt - now));
  }

  release(appId: string, webhookId: string, tookMs: number): void {
    this.#lower(appId);
    this.#lower(webhookId);
    const pace = this.#pace.get(webhookId);
    if (pace) pace.meanMs = pace.meanMs * 0.8 + tookMs * 0.2;
    if (!this.#running.has(webhookId)) this.#pace.delete(webhookId);
  }

  #lower(key: string): void {
    const left = (this.#running.get(key) ?? 1) - 1;
    if (left === 0) this.#running.delete(key);
    else this.#running.set(key, left);
  }
}

const minPauseMs = 50;
const maxPauseMs = 60_000;
