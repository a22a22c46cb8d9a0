import { Title, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams, useRouterState } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { appQuery } from '../../lib/data/queries.ts';
import { t } from '../../lib/words/words.ts';
import { handbookAt, helpOf } from '../sections/help.ts';
import classes from './page-header.module.css';

interface Props {
  readonly title: ReactNode;
  /** Which of several pages with this title it is, where tabs below say so to those who see them. */
  readonly part?: string | undefined;
  /** What it belongs to, such as a bucket; for the title in the browser. */
  readonly within?: string | undefined;
  /** The way to the list that it belongs to. */
  readonly back?: ReactNode;
  /** What the page is for, where the handbook's sentence does not say it well enough. */
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** The heading of a page: where it is, its title with the way to the handbook, the main action, and a sentence about it. */
export function PageHeader({ title, part = '', within = '', back, children, action }: Props) {
  const heading = useFocusAfterNavigation();
  const [isOpen, setOpen] = useState(false);
  const { appId } = useParams({ strict: false });
  const { data: app } = useQuery({ ...appQuery(appId ?? ''), enabled: appId !== undefined });
  usePageTitle([part, useShownText(title, heading), within, app?.name ?? '']);
  const pathname = useRouterState({
    select: ({ resolvedLocation, location }) => (resolvedLocation ?? location).pathname,
  });
  const help = helpOf(pathname);
  const about = children ?? help?.text;
  return (
    <header className={classes.head}>
      {back && <div className={classes.back}>{back}</div>}
      <div className={classes.line}>
        <Title order={1} ref={heading} tabIndex={-1}>
          {title}
          {part && <VisuallyHidden> · {part}</VisuallyHidden>}
        </Title>
        {help && (
          <a
            className={classes.help}
            href={handbookAt(help.handbook)}
            target="_blank"
            rel="noreferrer"
            aria-label={t('Handbook')}
            title={t('Handbook')}
          >
            ?
          </a>
        )}
        <div className={`${classes.action} phone-icons`}>{action}</div>
      </div>
      {about && (
        // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: all of it is read out anyway
        <div
          className={classes.about}
          data-open={isOpen || undefined}
          data-repeated={(back && !children) || undefined}
          onClick={() => setOpen(true)}
        >
          {about}
        </div>
      )}
    </header>
  );
}

/** Names the page and what it is about in the browser's tab and history: `Welcome · Museum guide · Pharos`. */
function usePageTitle(parts: readonly string[]): void {
  const title = [...parts.filter((part) => part !== ''), 'Pharos'].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** A title as text; of one with elements, such as a name that is still being read, what they show. */
function useShownText(title: ReactNode, heading: RefObject<HTMLHeadingElement | null>): string {
  const [shown, setShown] = useState('');
  const isText = typeof title === 'string';
  useEffect(() => {
    const element = heading.current;
    if (isText || !element) return;
    const read = () => setShown(element.textContent ?? '');
    read();
    const observer = new MutationObserver(read);
    observer.observe(element, { subtree: true, childList: true, characterData: true });
    return () => observer.disconnect();
  }, [isText, heading]);
  return isText ? title : shown;
}

/** Where the last page was, and when another one came, ms; for the headings of all pages. */
let lastPath: string | undefined;
let changedAt: number | undefined;
/** A heading that appears later than this belongs to something else than the navigation. */
const appearsWithinMs = 5_000;

/**
 * After a link has led to another page, the focus is on its heading: a screen reader reads it out, and the keyboard goes on
 * from there. A field of the page that has taken the focus keeps it.
 */
function useFocusAfterNavigation(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  // The page that is shown; while another one is being loaded, this is the one before.
  const pathname = useRouterState({
    select: ({ resolvedLocation, location }) => (resolvedLocation ?? location).pathname,
  });
  useEffect(() => {
    if (lastPath !== undefined && lastPath !== pathname) changedAt = performance.now();
    lastPath = pathname;
    if (changedAt === undefined || performance.now() - changedAt > appearsWithinMs) return;
    const page = document.getElementById('page');
    if (document.querySelector('[role=dialog]') || page?.contains(document.activeElement)) return;
    heading.current?.focus({ preventScroll: true });
  }, [pathname]);
  return heading;
}
