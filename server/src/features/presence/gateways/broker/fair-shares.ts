import { BoundedMap } from '../../../../base/caches/bounded-map.ts';
import { publishLimits } from '../../../../delivery/mqtt/mqtt-publishing.ts';

interface Share {
  readonly tokens: number;
  /** When they were counted, ms. */
  readonly at: number;
}

const burst = 60 * publishLimits.tokensPerSecond;
/** As long as a broker keeps messages, s. */
const maxQuietSeconds = 3_600;

/**
 * What each gateway at a broker may send: as much as at the service's own port, on average over a minute. After a time in which nothing came
 * of one, it may send as much more as it could have sent meanwhile: the broker has kept it.
 */
export class FairShares {
  readonly #now: () => number;
  readonly #lastHeard: (gateway: string) => Promise<number | undefined>;
  readonly #shares = new BoundedMap<string, Share>(10_000);

  /** @param lastHeard when something came of a gateway last, before this process was there */
  constructor(now: () => number, lastHeard: (gateway: string) => Promise<number | undefined>) {
    this.#now = now;
    this.#lastHeard = lastHeard;
  }

  /** Takes a message of so many bytes; false if the gateway has sent too much. */
  async take(gateway: string, bytes: number): Promise<boolean> {
    const heardAt = this.#shares.has(gateway) ? undefined : await this.#lastHeard(gateway);
    const at = this.#now();
    const before = this.#shares.get(gateway) ?? { tokens: burst, at: heardAt ?? at };
    const seconds = Math.min(maxQuietSeconds, Math.max(0, at - before.at) / 1_000);
    const tokens = Math.max(
      before.tokens,
      Math.min(
        before.tokens + seconds * publishLimits.tokensPerSecond,
        Math.max(burst, seconds * publishLimits.tokensPerSecond),
      ),
    );
    const cost = 1 + bytes / 1_024;
    const isEnough = tokens >= cost;
    this.#shares.set(gateway, { tokens: isEnough ? tokens - cost : tokens, at });
    return isEnough;
  }
}
