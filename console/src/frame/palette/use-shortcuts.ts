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

function isSearch(event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (!(ctrlKey || metaKey) || altKey || key.toLowerCase() !== 'k') return false;
  event.preventDefault();
  return true;
}

/** Ctrl-K was pressed before the page was there. */
let isAwaited = false;
const remember = (event: KeyboardEvent) => {
  isAwaited ||= isSearch(event);
};
document.addEventListener('keydown', remember);

/** Keys of the whole console: Ctrl-K, `/` and `?`. */
export function useShortcuts({ onSearch, onHelp }: Shortcuts): void {
  useEffect(() => {
    document.removeEventListener('keydown', remember);
    if (isAwaited) onSearch();
    isAwaited = false;
    function press(event: KeyboardEvent) {
      const { key, ctrlKey, metaKey, altKey } = event;
      if (isSearch(event)) return onSearch();
      if (ctrlKey || metaKey || altKey || isTyping(event) || document.querySelector('[aria-modal=true]')) return;
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
