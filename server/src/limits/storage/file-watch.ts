import type { Clock } from '../../base/clock.ts';
import type { BlobStorage } from '../../blobs/blob-store.ts';

/** The load balancer asks often, and from every node. */
const rememberedMs = 5_000;
/** `/readyz` answers within two seconds, whatever the storage does. */
const patienceMs = 1_000;

/** Knows whether the storage of files answers, or its folder is the right one. */
export class FileStorageWatch {
  readonly #blobs: BlobStorage;
  readonly #now: Clock;
  readonly #log: (problem: string | undefined) => void;
  #asked: { readonly at: number; readonly answer: Promise<string | undefined> } | undefined;
  #known: string | undefined;

  /** `log` is called when a problem begins (with its cause, in words) and when it ends. */
  constructor(blobs: BlobStorage, now: Clock, log: (problem: string | undefined) => void) {
    this.#blobs = blobs;
    this.#now = now;
    this.#log = log;
  }

  /** What is wrong, in a sentence that names no address; undefined while it answers. */
  async problem(): Promise<string | undefined> {
    if (!this.#asked || this.#now() - this.#asked.at >= rememberedMs)
      this.#asked = { at: this.#now(), answer: this.#ask() };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string | undefined>((resolve) => {
      timer = setTimeout(() => resolve(this.#known ?? slow), patienceMs);
    });
    return Promise.race([this.#asked.answer, late]).finally(() => clearTimeout(timer));
  }

  async #ask(): Promise<string | undefined> {
    let why: string | undefined;
    try {
      await this.#blobs.check();
    } catch (error) {
      const { cause, message } = error as Error;
      why = cause instanceof Error ? cause.message : message;
    }
    if ((why === undefined) !== (this.#known === undefined)) this.#log(why);
    this.#known = why === undefined ? undefined : this.#blobs.isRemote ? down : astray;
    return this.#known;
  }
}

const astray =
  'The folder of files is not the one of this database, or its disk is not mounted: files can be neither stored nor read. Everything else works.';
const slow = 'The storage of files has not answered for a second.';
const down = 'The storage of files does not answer: files can be neither stored nor read. Everything else works.';
