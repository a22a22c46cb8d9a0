/** A chosen file that outlives a reload of the page, as long as the tab is open. */
export interface KeptFile {
  readonly name: string;
  readonly text: string;
}

/** A file that was too long to be kept left its name alone. */
export type KeptOrName = KeptFile | { readonly name: string; readonly text?: undefined };

/** A tab's storage takes some 5 million characters in all. */
const longest = 2_000_000;

/** Of a file that is too long only the name is kept; it has to be chosen again. */
export function keepFile(key: string, { name, text }: KeptFile): void {
  forgetFile(key);
  if (text.length <= longest && store(key, { name, text })) return;
  store(key, { name });
}

/** False where the tab's storage is full or switched off. */
function store(key: string, kept: KeptOrName): boolean {
  try {
    sessionStorage.setItem(key, JSON.stringify(kept));
    return true;
  } catch {
    return false;
  }
}

export function keptFile(key: string): KeptOrName | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    return kept === null ? undefined : (kept as KeptOrName);
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
