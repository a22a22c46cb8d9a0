import { Notifications } from '@mantine/notifications';
import { useEffect } from 'react';

/**
 * What was done, at the bottom of the page, where the fewest things are that somebody wants next. While it is shown the page ends above it,
 * and so do dialogs and what stays at the bottom of the window: `--notices` is how much room that takes. What was just used, and what has the
 * focus or takes it, is not covered.
 */
export function Notices() {
  useEffect(() => {
    const shown = document.querySelector<HTMLElement>('.mantine-Notifications-root[data-position="bottom-center"]');
    if (!shown) return;
    // A button that is off once it was pressed has lost the focus.
    let used: Element | undefined;
    const use = ({ target }: Event) => {
      used = target instanceof Element ? (target.closest('button, a, label, input') ?? target) : undefined;
    };
    const focus = ({ target }: Event) => {
      if (shown.clientHeight > 0 && target instanceof Element) uncover(shown, target);
    };
    addEventListener('click', use, true);
    addEventListener('focusin', focus);
    const make = () => {
      const { height } = shown.getBoundingClientRect();
      document.documentElement.style.setProperty('--notices', `${Math.ceil(height)}px`);
      if (height === 0) return;
      uncover(shown, document.activeElement);
      uncover(shown, used);
    };
    const observer = new ResizeObserver(make);
    observer.observe(shown);
    return () => {
      observer.disconnect();
      removeEventListener('click', use, true);
      removeEventListener('focusin', focus);
    };
  }, []);
  return <Notifications position="bottom-center" containerWidth="30rem" withinPortal={false} />;
}

/** What is not covered, unless it is larger than the room that is left: the page itself can have the focus. */
const inPage = '#page *, [role="dialog"] *';

/** Scrolls something from beneath the notices. */
function uncover(shown: HTMLElement, used: Element | null | undefined): void {
  if (!used?.isConnected || !used.matches(inPage)) return;
  const [over, under] = [shown.getBoundingClientRect(), used.getBoundingClientRect()];
  const isBeside = under.right < over.left || under.left > over.right;
  if (isBeside || under.bottom <= over.top || under.top >= over.bottom) return;
  used.scrollIntoView({ block: 'nearest' });
}
