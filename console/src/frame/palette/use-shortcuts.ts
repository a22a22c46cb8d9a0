import { useEffect } from 'react';

interface Shortcuts {
  readonly onSearch: () => void;
  readonly onHelp: () => void;
}

/** A key that somebody types into a field belongs to the field. */
function isTyping({ target }: KeyboardEvent): boolean {
  const field = target instanceof Element ? target.closest('input, textarea, select, [contenteditable="true"]') : null;
  // The editor of JSON is in a shadow root, whose host is the target.
  return field !== null || (target instanceof Element && target.shadowRoot !== null);
}

/** What was typed since Ctrl-K, until the field of the search is there. */
let typed: string | undefined;

/** What the search begins with. */
export function takeTyped(): string {
  const text = typed ?? '';
  typed = undefined;
  return text;
}

function isSearch(event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (!(ctrlKey || metaKey) || altKey || key.toLowerCase() !== 'k') return false;
  event.preventDefault();
  typed ??= '';
  return true;
}

const isDialogOpen = () => document.querySelector('[aria-modal=true]') !== null;

/** Whether it is a letter for the search. */
function isKept(event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (typed === undefined || key.length > 1 || ctrlKey || metaKey || altKey || isDialogOpen()) return false;
  event.preventDefault();
  typed += key;
  return true;
}

/** Before the page is there; the fields of the sign-in keep what is typed into them. */
const early = (event: KeyboardEvent) => isSearch(event) || isTyping(event) || isKept(event);
document.addEventListener('keydown', early);

/** Keys of the whole console: Ctrl-K, `/` and `?`. */
export function useShortcuts({ onSearch, onHelp }: Shortcuts): void {
  useEffect(() => {
    document.removeEventListener('keydown', early);
    if (typed !== undefined) onSearch();
    function press(event: KeyboardEvent) {
      const { key, ctrlKey, metaKey, altKey } = event;
      if (isSearch(event)) return onSearch();
      if (isKept(event)) return;
      if (ctrlKey || metaKey || altKey || isTyping(event) || isDialogOpen()) return;
      if (key === '/') {
        event.preventDefault();
        const field = document.querySelector<HTMLInputElement>('#page input[type=search]');
        if (field) field.focus();
        else onSearch();
      } else if (key === '?') {
        event.preventDefault();
        onHelp();
      }
    }
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [onSearch, onHelp]);
}
