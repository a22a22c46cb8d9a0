/** Counts one of a name less; what nobody has is forgotten. */
export function countDown(counts: Map<string, number>, name: string): void {
  const left = (counts.get(name) ?? 1) - 1;
  if (left === 0) counts.delete(name);
  else counts.set(name, left);
}
