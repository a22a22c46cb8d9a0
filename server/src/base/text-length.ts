/**
 * Whether a text has more than `most` characters (code points). Very long texts are not scanned: a character has at most
 * two UTF-16 code units.
 */
export function isLongerThan(text: string, most: number): boolean {
  if (text.length <= most) return false;
  return text.length > 2 * most || [...text].length > most;
}
