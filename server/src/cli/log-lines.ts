/**
 * Collects the log lines of one turn of the event loop and hands them on together: a system call for each line would
 * cost more than answering a small request.
 */
export function createLogLines(write: (lines: string) => void): { write(line: string): void; flush(): void } {
  let lines: string[] = [];
  const flush = () => {
    if (lines.length === 0) return;
    const text = lines.join('').trimEnd();
    lines = [];
    write(text);
  };
  return {
    write(line) {
      if (lines.length === 0) setImmediate(flush);
      lines.push(line);
    },
    flush,
  };
}
