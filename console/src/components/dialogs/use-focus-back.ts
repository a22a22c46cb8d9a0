import { useEffect } from 'react';

/** For a dialog that is drawn only while it is open, and so does not know where the focus was: it goes back there. */
export function useFocusBack(): void {
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      const isNowhere = document.activeElement === document.body && !document.querySelector('[role=dialog]');
      if (isNowhere && before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
}
