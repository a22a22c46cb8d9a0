import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { personOfPage } from '../data/whose-page.ts';
import { store, stored } from './storage.ts';

/** Work that a reload of the page interrupts. */
export interface CutOff {
  /** Unique for this work and its subject. */
  readonly key: string;
  /** The state after an interruption, and what to do. */
  readonly message: string;
  /** Runs first, such as asking for the password; an interruption before it is done is not reported. */
  readonly before?: () => Promise<unknown>;
}

/** Work running in this page, perhaps started on another screen. */
const running = new Set<string>();

const mark = (key: string) => `under way ${key}`;

/** After the browser asks, the page is gone within this time, ms, or stays. */
const leavesWithin = 1_000;
let isLeaving = false;

function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
  isLeaving = true;
  setTimeout(() => {
    isLeaving = false;
  }, leavesWithin);
}

/** Marks the work as running in this tab, and lets the browser ask before the page is left. */
export async function underWay<T>({ key }: Pick<CutOff, 'key'>, work: () => Promise<T>): Promise<T> {
  running.add(key);
  note(key);
  // It is being finished.
  notifications.hide(key);
  window.addEventListener('beforeunload', askBeforeLeaving);
  try {
    const result = await work();
    forget(key);
    return result;
  } catch (error) {
    // Leaving a page aborts its requests first; such an error must not clear the mark.
    if (!isLeaving) forget(key);
    throw error;
  } finally {
    running.delete(key);
    if (running.size === 0) window.removeEventListener('beforeunload', askBeforeLeaving);
  }
}

/** Shows a notice once if the work was interrupted by a reload. */
export function useCutOffNotice(cutOff: CutOff | undefined): void {
  const { key, message = '' } = cutOff ?? {};
  useEffect(() => {
    if (key === undefined || running.has(key) || !wasNoted(key)) return;
    forget(key);
    notifications.show({ id: key, message, color: 'yellow', autoClose: false });
  }, [key, message]);
}

// Without session storage there is only no notice afterwards.
const note = (key: string) => store(mark(key), personOfPage() ?? '', 'sessionStorage');
const forget = (key: string) => store(mark(key), null, 'sessionStorage');
/** Whoever goes on in a tab of somebody else did not begin it. */
const wasNoted = (key: string) => stored(mark(key), 'sessionStorage') === (personOfPage() ?? '');
