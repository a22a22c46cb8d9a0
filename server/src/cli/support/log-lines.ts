/** A process's log lines; see `createLogLines`. */
export interface LogLines {
  write(line: string): void;
  /** Holds lines back until `flush`, so that something else can be printed first. */
  hold(): void;
  flush(): void;
}

/**
 * Collects the log lines of one tick of the event loop and writes them together: a system call for each line would cost
 * more than answering a small request.
 */
export function createLogLines(write: (lines: string) => void): LogLines {
  let lines: string[] = [];
  let isHeld = false;
  const flush = () => {
    isHeld = false;
    if (lines.length === 0) return;
    const text = lines.join('').trimEnd();
    lines = [];
    write(text);
  };
  return {
    write(line) {
      if (lines.length === 0) setImmediate(() => isHeld || flush());
      lines.push(line);
    },
    hold() {
      isHeld = true;
    },
    flush,
  };
}
