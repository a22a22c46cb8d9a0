/** The line of a curve in a box of 100 by 30, from left to right; a gap where there is no value. */
export function linesOf(values: readonly (number | null)[]): readonly string[] {
  const known = values.filter((value) => value !== null);
  const [least, most] = [Math.min(0, ...known), Math.max(...known, 1e-9)];
  const x = (index: number) => (values.length < 2 ? 0 : (100 * index) / (values.length - 1));
  const y = (value: number) => 29 - (28 * (value - least)) / (most - least);
  const lines: string[][] = [[]];
  for (const [index, value] of values.entries()) {
    if (value === null) lines.push([]);
    else lines.at(-1)?.push(`${x(index).toFixed(1)},${y(value).toFixed(1)}`);
  }
  return lines.filter((line) => line.length > 0).map((line) => line.join(' '));
}
