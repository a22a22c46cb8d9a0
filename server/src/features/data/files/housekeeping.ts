const hourMs = 3_600_000;
/** The walk over all files is long, and what it finds has waited for a day already. */
const hoursBetweenWalks = 24;

export interface Housekeeping {
  /** Removes what interrupted uploads left behind. */
  readonly sweepUnfinished: () => Promise<unknown>;
  /** Removes bytes that no record names. */
  readonly sweepOrphans: () => Promise<unknown>;
  /**
   * Hides records without bytes, and shows those again whose bytes are back: of `all` records, or of the hidden ones.
   */
  readonly settle: (all: boolean) => Promise<unknown>;
  /** Runs it in the background, and logs errors. */
  readonly run: (what: string, work: () => Promise<unknown>) => void;
}

/** Cleans up at the start and regularly from then on, until `stop`. The timer does not keep the process alive. */
export function startFileHousekeeping({ sweepUnfinished, sweepOrphans, settle, run }: Housekeeping): { stop(): void } {
  let hours = 0;
  run('sweeping unfinished uploads', sweepUnfinished);
  run('looking for files without bytes', () => settle(true));
  const timer = setInterval(() => {
    run('sweeping unfinished uploads', sweepUnfinished);
    run('looking for files without bytes', () => settle(hours % hoursBetweenWalks === 0));
    if (hours++ % hoursBetweenWalks === 0) run('sweeping files without a record', sweepOrphans);
  }, hourMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
