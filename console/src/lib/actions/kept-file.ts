/** A chosen file that survives a reload, as long as the tab is open. */
export interface KeptFile {
  readonly name: string;
  readonly text: string;
  /** How its bytes were read, such as `UTF-8`. */
  readonly readAs?: string | undefined;
}

/** Of a file that is too long to be kept, only the name remains. */
export type KeptOrName = KeptFile | { readonly name: string; readonly text?: undefined };

/** The storage of a tab holds about 5 million characters. */
const longest = 2_000_000;

/** Keeps the file, or only its name if it is too long and has to be chosen again. */
export function keepFile(key: string, { name, text, readAs }: KeptFile): void {
  forgetFile(key);
  if (text.length <= longest && store(key, { name, text, readAs })) return;
  store(key, { name });
}

/** False if the tab's storage is full or disabled. */
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
    // Nothing is kept if storage is disabled.
  }
}
