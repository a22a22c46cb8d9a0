/** A chosen file that outlives a reload of the page, as long as the tab is open. */
export interface KeptFile {
  readonly name: string;
  readonly text: string;
}

/** A tab's storage takes some 5 million characters in all. */
const longest = 2_000_000;

/** A file that is too long is not kept; it has to be chosen again. */
export function keepFile(key: string, { name, text }: KeptFile): void {
  forgetFile(key);
  if (text.length > longest) return;
  try {
    sessionStorage.setItem(key, JSON.stringify({ name, text }));
  } catch {
    // The tab's storage is full or switched off; then a reload asks for the file again.
  }
}

export function keptFile(key: string): KeptFile | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    return kept === null ? undefined : (kept as KeptFile);
  } catch {
    return undefined;
  }
}

export function forgetFile(key: string): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // Nothing was kept where storage is switched off.
  }
}
