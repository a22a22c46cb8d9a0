/**
 * How the process of a service keeps its memory small; docs/performance.md has the figures. All of it is read by Node
 * and the C library before the first line of a program runs.
 */

export const nodeFlags = [
  // Each of the two halves of the space for new objects, in MB. V8 would let them grow to 64.
  '--max-semi-space-size=16',
  // The heap is looked through again when it is twice as large as what was found to be in use; V8 would wait until it is
  // four times as large, and keeps the pages.
  '--heap-growing-percent=100',
  // A service that rests gives back what a load has left (`cli/support/memory-at-rest.ts`).
  '--expose-gc',
];

/** For glibc; others ignore them. Without them, what a password check took (19 MB) stays with each thread that made one. */
export const allocator = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '1048576',
  MALLOC_TRIM_THRESHOLD_: '1048576',
};

/** The environment for a service; what the operator has set stays. */
export function withAllocator(environment) {
  return { ...allocator, ...environment };
}

/** The commands that run for long. */
export function isService([command]) {
  return command === 'serve' || command === 'work';
}
