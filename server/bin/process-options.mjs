/**
 * Keeps the memory of a service's process small; docs/performance.md has the figures. Node and the C library read all
 * of it before the first line of a program runs.
 */

export const nodeFlags = [
  // Size of each of the two halves of the space for new objects, in MB. V8 would let them grow to 64.
  '--max-semi-space-size=16',
  // With V8's own least size, 1 MB, a start collects twice as often, and once the whole heap.
  '--min-semi-space-size=4',
  // The heap is collected again when it is twice as large as what was in use; V8 would wait until it is four times as
  // large, and keep the pages.
  '--heap-growing-percent=100',
  // A service at rest gives back what a load has left (`cli/support/memory-at-rest.ts`).
  '--expose-gc',
];

/**
 * For glibc; other libraries ignore them. Without them, the memory of a password check (19 MB) stays with each thread
 * that made one.
 */
export const allocator = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '1048576',
  MALLOC_TRIM_THRESHOLD_: '1048576',
};

/** The environment of a service; variables that the operator has set stay. */
export function withAllocator(environment) {
  return { ...allocator, ...environment };
}

/** Without a command it is the service that is meant: `pharos --port 9000`. */
export function withCommand(words) {
  const isAsked = ['-h', '--help', '-v', '--version'].includes(words[0]);
  return isAsked || words[0]?.startsWith('-') === false ? words : ['serve', ...words];
}

/** The commands that run for a long time. */
export function isService([command]) {
  return command === 'serve' || command === 'work';
}
