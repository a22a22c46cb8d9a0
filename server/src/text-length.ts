/**
 * Whether a text has more than `most` characters (code points). A long text is not looked at: a character is at most two
 * UTF-16 units.
 */
export function isLongerThan(text: string, most: number): boolean {
  if (text.length <= most) return false;
  return text.length > 2 * most || [...text].length > most;
}
