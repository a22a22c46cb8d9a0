/** What the browser keeps, on this device or as long as the tab is open. It may be full or switched off. */
type Storage = 'localStorage' | 'sessionStorage';

/** Null if nothing is kept. */
export function stored(key: string, storage: Storage = 'localStorage'): string | null {
  try {
    return globalThis[storage].getItem(key);
  } catch {
    return null;
  }
}

/** Null forgets it. False if it could not be kept. */
export function store(key: string, text: string | null, storage: Storage = 'localStorage'): boolean {
  try {
    if (text === null) globalThis[storage].removeItem(key);
    else globalThis[storage].setItem(key, text);
    return true;
  } catch {
    return false;
  }
}
