import { Notifications } from '@mantine/notifications';
import { useEffect } from 'react';

/**
 * What was done, at the bottom of the page, where the fewest things are that somebody wants next. While it is shown the page ends above it,
 * and so does what stays at the bottom of the window: `--notices` is how much room that takes. What was just used is not covered.
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
    addEventListener('click', use, true);
    const make = () => {
      const { height } = shown.getBoundingClientRect();
      document.documentElement.style.setProperty('--notices', `${Math.ceil(height)}px`);
      if (height > 0) uncover(shown, used);
    };
    const observer = new ResizeObserver(make);
    observer.observe(shown);
    return () => {
      observer.disconnect();
      removeEventListener('click', use, true);
    };
  }, []);
  return <Notifications position="bottom-center" containerWidth="30rem" withinPortal={false} />;
}

/** Scrolls what was just used from beneath the notices. */
function uncover(shown: HTMLElement, used: Element | undefined): void {
  if (!used?.isConnected || !used.closest('#page')) return;
  const [over, under] = [shown.getBoundingClientRect(), used.getBoundingClientRect()];
  const isBeside = under.right < over.left || under.left > over.right;
  if (isBeside || under.bottom <= over.top || under.top >= over.bottom) return;
  used.scrollIntoView({ block: 'nearest' });
}
