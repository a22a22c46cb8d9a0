import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';

/** Work of this page that ends when the page is loaded again. */
export interface CutOff {
  /** Of this work alone, with what it is about. */
  readonly key: string;
  /** How things stand after it was cut off, and what to do. */
  readonly message: string;
}

/** What goes on in this page, though perhaps on another screen than the one that is looked at. */
const running = new Set<string>();

const stored = (key: string) => `under way ${key}`;

/** Who has decided to leave is gone within this time, ms; otherwise the page stays. */
const leavesWithin = 1_000;
let isLeaving = false;

function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
  isLeaving = true;
  setTimeout(() => {
    isLeaving = false;
  }, leavesWithin);
}

/** Notes in the tab that it is under way, and lets the browser ask before the page is left. */
export async function underWay<T>({ key }: Pick<CutOff, 'key'>, work: () => Promise<T>): Promise<T> {
  running.add(key);
  note(key);
  window.addEventListener('beforeunload', askBeforeLeaving);
  try {
    const result = await work();
    forget(key);
    return result;
  } catch (error) {
    // A page that goes away ends its requests first; that is no failure that anybody has seen.
    if (!isLeaving) forget(key);
    throw error;
  } finally {
    running.delete(key);
    if (running.size === 0) window.removeEventListener('beforeunload', askBeforeLeaving);
  }
}

/** Tells once, where the page was loaded again in the middle. */
export function useCutOffNotice(cutOff: CutOff | undefined): void {
  const { key, message = '' } = cutOff ?? {};
  useEffect(() => {
    if (key === undefined || running.has(key) || !wasNoted(key)) return;
    forget(key);
    notifications.show({ message, color: 'yellow', autoClose: false });
  }, [key, message]);
}

// A tab whose storage is full or switched off only does not tell afterwards.

function note(key: string): void {
  try {
    sessionStorage.setItem(stored(key), '1');
  } catch {}
}

function forget(key: string): void {
  try {
    sessionStorage.removeItem(stored(key));
  } catch {}
}

function wasNoted(key: string): boolean {
  try {
    return sessionStorage.getItem(stored(key)) !== null;
  } catch {
    return false;
  }
}
