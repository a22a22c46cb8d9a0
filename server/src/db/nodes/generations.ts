/** Beyond this many apps a drop of one counts as a drop of all. */
const maxApps = 1_000;

/**
 * Counts for each app how often what is kept of it was dropped, so that what was read before a change is not kept after it.
 */
export class Generations {
  #last = 0;
  #ofAll = 0;
  readonly #ofApps = new Map<string, number>();

  of(appId: string): number {
    return Math.max(this.#ofAll, this.#ofApps.get(appId) ?? 0);
  }

  /** Without an app: of all. */
  drop(appId: string | undefined): void {
    this.#last++;
    if (appId !== undefined && (this.#ofApps.size < maxApps || this.#ofApps.has(appId))) {
      this.#ofApps.set(appId, this.#last);
      return;
    }
    this.#ofApps.clear();
    this.#ofAll = this.#last;
  }
}
