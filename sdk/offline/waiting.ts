import type { TextStorage } from '../src/storage-lock.ts';
import type { JsonInput } from '../src/wire.ts';

export type OfflineStorage = (name: string) => TextStorage;

/** Sightings in one page: only the last one is written again when more are added. */
const pageSize = 120;
const maxSightings = 10_000;
/** Pages are at least full, except for the first and the last. */
const maxPages = Math.ceil(maxSightings / pageSize) + 2;

interface Page {
  readonly number: number;
  sightings: JsonInput[];
}

/** Sightings that the service has not acknowledged, oldest first; beyond 10,000 the oldest go. */
export class Waiting {
  readonly #storage: OfflineStorage;
  #pages: Page[];

  private constructor(storage: OfflineStorage, pages: Page[]) {
    this.#storage = storage;
    this.#pages = pages;
  }

  /** What was kept under these numbers. A page that cannot be read is lost, and not the others. */
  static async open(storage: OfflineStorage, numbers: readonly number[]): Promise<Waiting> {
    const pages: Page[] = [];
    for (const number of numbers) pages.push({ number, sightings: readList(await storage(nameOf(number)).load()) });
    return new Waiting(storage, pages);
  }

  get numbers(): number[] {
    return this.#pages.map(({ number }) => number);
  }

  get size(): number {
    return this.#pages.reduce((sum, { sightings }) => sum + sightings.length, 0);
  }

  first(count: number): readonly JsonInput[] {
    return this.#pages.flatMap(({ sightings }) => sightings).slice(0, count);
  }

  async add(sightings: readonly JsonInput[]): Promise<void> {
    let last = this.#pages[this.#pages.length - 1];
    if (last === undefined || last.sightings.length >= pageSize) {
      last = { number: (last?.number ?? 0) + 1, sightings: [] };
      this.#pages.push(last);
    }
    last.sightings.push(...sightings);
    await this.#save(last);
    while (this.size > maxSightings) await this.#drop();
  }

  /** The first ones were acknowledged. */
  async remove(count: number): Promise<void> {
    let left = count;
    for (let page = this.#pages[0]; page !== undefined && left > 0; page = this.#pages[0]) {
      if (page.sightings.length <= left) {
        left -= page.sightings.length;
        await this.#drop();
      } else {
        page.sightings = page.sightings.slice(left);
        left = 0;
        await this.#save(page);
      }
    }
  }

  async #drop(): Promise<void> {
    const page = this.#pages.shift();
    if (page) await this.#storage(nameOf(page.number)).save('[]');
  }

  async #save({ number, sightings }: Page): Promise<void> {
    await this.#storage(nameOf(number)).save(JSON.stringify(sightings));
  }
}

/** Numbers are used again, so that storages hold a bounded number of names. */
const nameOf = (number: number) => `waiting-${number % (2 * maxPages)}`;

function readList(text: string | null): JsonInput[] {
  try {
    const read: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(read) ? (read as JsonInput[]) : [];
  } catch {
    return [];
  }
}
