const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** `48.2 kB`, `25 MB` */
export function bytesText(bytes: number): string {
  const power = Math.min(units.length - 1, bytes < 1_000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : Number(value.toFixed(1))} ${units[power]}`;
}
