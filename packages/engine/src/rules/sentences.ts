/** Small pieces of the sentences that explain a verdict to somebody who has never seen a log. */

/** "40 seconds", "15 minutes", "2 hours", "3 days": one unit, rounded down so that a limit is never said to be reached. */
export function durationText(seconds: number): string {
  const units: readonly (readonly [number, string])[] = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
  ];
  for (const [size, name] of units) {
    if (seconds >= 2 * size || (seconds >= size && seconds % size === 0))
      return counted(Math.floor(seconds / size), name);
  }
  return counted(Math.max(0, Math.floor(seconds)), 'second');
}

function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

export function timesText(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;
}

/** "07:30" from minutes since midnight. */
export function clockText(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
}
