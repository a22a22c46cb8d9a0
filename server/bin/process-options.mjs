/**
 * Keeps the memory of a service's process small; docs/performance.md has the figures. Node and the C library read all
 * of it before the first line of a program runs.
 */

/** Size of each of the two halves of the space for new objects, in MB. V8 would let them grow to 64. Other flags make a start slower. */
export const nodeFlags = ['--max-semi-space-size=16'];

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
