import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DiskReserve } from '../base/disk/disk-reserve.ts';
import { makeFolder } from '../base/disk/make-folder.ts';
import { type Failure, fail } from '../base/errors.ts';
import { storageTrouble } from '../db/storage-error.ts';

/**
 * The state of a disk: `tight` causes a warning, at `low` new content is refused, and at `full` a write has failed for
 * lack of space.
 */
export type RoomLevel = 'ample' | 'tight' | 'low' | 'full';

export interface DiskRoomOptions {
  readonly dataFolder: string;
  /** New content is refused when fewer bytes are free. */
  readonly minFreeBytes: number;
  /** Bytes kept for deletions, sign-ins and a start; only for an embedded database. */
  readonly reserveBytes: number;
  /** Whether the database is on the same disk. */
  readonly isEmbedded: boolean;
  /** Uses some space on the disk of a database server. @throws when there is none */
  readonly probeDatabase: () => Promise<void>;
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void;
  /**
   * Tells the database how much is free; returns how much of it the database needs for what it has accepted, and how
   * much it can store within its existing files.
   */
  readonly fitDatabase: (freeBytes: number) => { readonly needed: number; readonly reusable: number };
}

export interface RoomReport {
  readonly level: RoomLevel;
  /**
   * Free bytes on the disk of the data folder, minus what the reserve and the database still need. Undefined until
   * known.
   */
  readonly freeBytes: number | undefined;
  readonly minFreeBytes: number;
  /** Bytes held by the reserve. */
  readonly reserveBytes: number;
  /** Storage errors since the start, by kind. */
  readonly errors: Readonly<Record<'full' | 'io' | 'unreadable', number>>;
}

/** The warning begins at this multiple of the least room. */
const tightFactor = 10;
/** How often the free space is read under load; a request never waits for it. */
const staleMs = 250;
const checkEveryMs = 5_000;
/** A database server is made to use some space no more often than this. */
const probeEveryMs = 10_000;
const probeBytes = 1_048_576;

/** Decimal units, like the console's. */
const sizeText = (bytes: number) =>
  bytes < 1e9 ? `${Math.max(0, Math.floor(bytes / 1e6))} MB` : `${(bytes / 1e9).toFixed(1)} GB`;

/**
 * Keeps space on the disk for deletions: below a minimum new content is refused, and a reserve is released when a write
 * finds the disk full. Deletions and sign-ins are never refused here.
 */
export class DiskRoom {
  readonly #options: DiskRoomOptions;
  readonly #reserve: DiskReserve;
  readonly #errors = { full: 0, io: 0, unreadable: 0 };
  readonly #stopping = new AbortController();
  #free: number | undefined;
  /** The database's needs: how much of the free bytes it will still use, and the space within its files. */
  #needed = 0;
  #reusable = 0;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #checking: Promise<void> | undefined;
  #probedAt = Number.NEGATIVE_INFINITY;
  #filling: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Uploads in progress: the bytes that they have announced, some of which may be written already. */
  #claimed = 0;
  /** A write found no space, and none has been found since. */
  #isFull = false;
  #isDatabaseFull = false;
  #saidLevel: RoomLevel = 'ample';
  #saidDatabaseFull = false;

  constructor(options: DiskRoomOptions) {
    this.#options = options;
    this.#reserve = new DiskReserve(options.dataFolder, options.isEmbedded ? options.reserveBytes : 0);
  }

  /** Starts watching the disk, and fills the reserve when there is space for it. */
  start(): void {
    const check = () => void this.check().then(() => this.#replenish());
    check();
    this.#timer = setInterval(check, checkEveryMs);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#filling;
  }

  report(): RoomReport {
    return {
      level: this.#level(),
      freeBytes: this.#available(),
      minFreeBytes: this.#options.minFreeBytes,
      reserveBytes: this.#reserve.held,
      errors: { ...this.#errors },
    };
  }

  /** Why the service does not accept new content, and what to do; undefined when it does. */
  problem(): string | undefined {
    if (this.#isDatabaseFull) return databaseFull;
    return this.#options.isEmbedded ? this.#refusalText() : undefined;
  }

  /** What will soon become a problem. */
  warning(): string | undefined {
    // With a database server only the files are on this disk.
    const refused = this.#options.isEmbedded ? undefined : this.#refusalText();
    if (refused) return `Uploads are refused. ${refused}`;
    if (this.#level() !== 'tight') return undefined;
    return `Only ${sizeText(this.#available() ?? 0)} is free on the disk. Below ${sizeText(this.#options.minFreeBytes)} new content is refused. Make room.`;
  }

  /**
   * Call it before something new is stored or (`change`) replaced. It awaits nothing.
   *
   * @throws Failure Timeout when the remaining space is kept for deletions and sign-ins
   */
  assertRoom(kind: 'create' | 'change'): void {
    if (performance.now() - this.#checkedAt > staleMs) void this.check();
    if (this.#isDatabaseFull && kind === 'create') throw refusal(databaseFull);
    if (!this.#options.isEmbedded) return;
    const level = this.#level();
    if (level === 'ample' || level === 'tight') return;
    if (kind === 'change' && !this.#isReserveSpent()) return;
    throw refusal(this.#refusalText() ?? diskFull);
  }

  /**
   * Reserves space for a file that is about to be written, after checking the disk, and returns a function that gives it back.
   *
   * @throws Failure Timeout when too little would be left
   */
  async claim(bytes: number): Promise<() => void> {
    await this.check();
    if (this.#level() === 'full') throw refusal(diskFull);
    const left = (this.#available() ?? Number.POSITIVE_INFINITY) - this.#claimed - bytes;
    if (left < this.#options.minFreeBytes) throw refusal(this.#lowText());
    this.#claimed += bytes;
    return () => {
      this.#claimed -= bytes;
    };
  }

  /** Reads the disk's free space, and tests a database server that has not been tested for a while. Never rejects. */
  check(): Promise<void> {
    this.#checking ??= this.#checkOnce().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** Takes note of an error. Storage errors are counted; one that says that the disk is full releases the reserve. */
  note(error: unknown): void {
    const trouble = storageTrouble(error);
    if (trouble === undefined) return;
    this.#errors[trouble]++;
    if (trouble !== 'full') return;
    if (isOfServer(error)) {
      this.#isDatabaseFull = true;
      this.#probedAt = performance.now();
    } else this.makeRoom();
    this.#tell();
  }

  /** A write found no space: releases the reserve at once. */
  makeRoom(): void {
    this.#isFull = true;
    if (this.#reserve.release())
      this.#options.log('warn', `the disk is full: the reserve of ${sizeText(this.#reserve.wanted)} is given back`);
    this.#tell();
  }

  async #checkOnce(): Promise<void> {
    this.#checkedAt = performance.now();
    try {
      const { bavail, bsize } = await statfs(this.#options.dataFolder);
      this.#free = bavail * bsize;
      this.#reserve.check();
      const { needed, reusable } = this.#options.fitDatabase(this.#free);
      [this.#needed, this.#reusable] = [needed, reusable];
      if (this.#isFull && this.#fitsReserve() && (await this.#canWrite())) this.#isFull = false;
      // Something else has filled the disk.
      if (this.#free < this.#leastBytes() && this.#reserve.held > 0) this.makeRoom();
    } catch (error) {
      this.#countQuietly(error);
    }
    if (!this.#options.isEmbedded) await this.#checkServer();
    this.#tell();
  }

  async #checkServer(): Promise<void> {
    if (performance.now() - this.#probedAt < probeEveryMs) return;
    this.#probedAt = performance.now();
    try {
      await this.#options.probeDatabase();
      this.#isDatabaseFull = false;
    } catch (error) {
      // Any other problem of the server is reported by the code that needs it.
      if (storageTrouble(error) === 'full') this.#isDatabaseFull = true;
    }
  }

  #countQuietly(error: unknown): void {
    const trouble = storageTrouble(error);
    if (trouble) this.#errors[trouble]++;
  }

  /** Quotas do not show in the free space of a disk; a written file does. */
  async #canWrite(): Promise<boolean> {
    const probe = join(this.#options.dataFolder, 'room.probe');
    try {
      await makeFolder(this.#options.dataFolder);
      await writeFile(probe, Buffer.alloc(probeBytes, 1), { mode: 0o600 });
      return true;
    } catch {
      return false;
    } finally {
      await rm(probe, { force: true }).catch(() => undefined);
    }
  }

  #replenish(): void {
    if (this.#reserve.held >= this.#reserve.wanted || this.#filling || this.#stopping.signal.aborted) return;
    if (this.#isFull || !this.#fitsReserve()) return;
    this.#filling = this.#reserve
      .fill(this.#stopping.signal)
      .then(() => this.check())
      .catch((error: unknown) => this.note(error))
      .finally(() => {
        this.#filling = undefined;
      });
  }

  /** With less, the disk counts as full, and the reserve is released. */
  #leastBytes(): number {
    return Math.max(probeBytes, this.#reserve.wanted / 8);
  }

  /** Whether the reserve can be filled without being released again at once. */
  #fitsReserve(): boolean {
    return (this.#available() ?? 0) > this.#leastBytes() + probeBytes;
  }

  /** Free bytes that nothing needs; below 0 when the reserve is in use. */
  #available(): number | undefined {
    if (this.#free === undefined) return undefined;
    return this.#free - this.#needed - Math.max(0, this.#reserve.wanted - this.#reserve.held);
  }

  #level(): RoomLevel {
    if (this.#isFull) return 'full';
    // Deleted rows leave space for others within the database.
    const available = (this.#available() ?? Number.POSITIVE_INFINITY) + this.#reusable;
    if (available < this.#options.minFreeBytes) return 'low';
    return available < tightFactor * this.#options.minFreeBytes ? 'tight' : 'ample';
  }

  /** The second half is only for deletions and sign-ins. */
  #isReserveSpent(): boolean {
    const least = this.#reserve.wanted > 0 ? this.#reserve.wanted / 2 : this.#options.minFreeBytes / 4;
    return (this.#free ?? 0) + this.#reserve.held < least;
  }

  #refusalText(): string | undefined {
    const level = this.#level();
    if (level === 'full') return diskFull;
    return level === 'low' ? this.#lowText() : undefined;
  }

  #lowText(): string {
    const { minFreeBytes } = this.#options;
    return `The storage is nearly full: less than ${sizeText(minFreeBytes)} would be left. New content is refused; deletions and sign-ins still work. Make room, then try again.`;
  }

  /** One line per change, not one for each request that runs into it. */
  #tell(): void {
    const level = this.#level();
    if (level !== this.#saidLevel) {
      const { log } = this.#options;
      this.#saidLevel = level;
      if (level === 'full') log('error', diskFull);
      else if (level === 'low') log('error', this.#lowText());
      else if (level === 'tight') log('warn', this.warning() ?? '');
      else log('info', 'the disk has room again');
    }
    if (this.#isDatabaseFull === this.#saidDatabaseFull) return;
    this.#saidDatabaseFull = this.#isDatabaseFull;
    if (this.#isDatabaseFull) this.#options.log('error', databaseFull);
    else this.#options.log('info', 'the database server has room again');
  }
}

const diskFull =
  'The disk is full. New content is refused; deletions and sign-ins still work. Make room, then try again.';
const databaseFull =
  "The disk of the database server is full. New content is refused; deletions may still work. Make room on the server's disk.";

const refusal = (message: string): Failure => fail('Timeout', { message, retryAfter: 30 });

/** SQLSTATE 53100, disk_full: the disk of PostgreSQL, not of this process. */
function isOfServer(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause)
    if ((each as { code?: unknown }).code === '53100') return true;
  return false;
}
