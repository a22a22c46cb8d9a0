import { Group, Text, Title, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams, useRouterState } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { appQuery } from '../../lib/data/queries.ts';
import { t } from '../../lib/words/words.ts';
import { helpOf } from './help.ts';
import classes from './page-header.module.css';

interface Props {
  readonly title: string;
  /** What the page is for, where the address alone does not say it well enough. */
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** The heading of a page: title, a sentence about it, and the main action. */
export function PageHeader({ title, children, action }: Props) {
  usePageTitle([title]);
  return (
    <Group justify="space-between" align="flex-start" mb="xl" gap="md">
      <div>
        <Title order={1} ref={useFocusAfterNavigation()} tabIndex={-1}>
          {title}
        </Title>
        <About size="md">{children}</About>
      </div>
      {action}
    </Group>
  );
}

/** What the page is for, and the way to the handbook. */
function About({ size, children }: { readonly size: 'sm' | 'md'; readonly children?: ReactNode }) {
  const pathname = useRouterState({
    select: ({ resolvedLocation, location }) => (resolvedLocation ?? location).pathname,
  });
  const found = helpOf(pathname);
  const about = children ?? found?.text;
  return (
    <>
      {about && (
        <Text c="dimmed" size={size} mt={size === 'sm' ? 2 : 4} maw="42rem" component="div">
          {about}
        </Text>
      )}
      {found && (
        <a className={classes.help} href={`/handbook/${found.handbook}`} target="_blank" rel="noreferrer">
          {t('Handbook')}
        </a>
      )}
    </>
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

interface SectionProps extends Omit<Props, 'title'> {
  readonly title: ReactNode;
  /** Which of several pages with this title it is, where tabs below say so to those who see them. */
  readonly part?: string | undefined;
  /** What it belongs to, such as a bucket; for the title in the browser. */
  readonly within?: string | undefined;
  /** The way to the list that it belongs to. */
  readonly back?: ReactNode;
}

/** The heading of a section of an app, below the app's name. */
export function SectionHeader({ title, part = '', within = '', back, children, action }: SectionProps) {
  const heading = useFocusAfterNavigation();
  const { appId } = useParams({ strict: false });
  const { data: app } = useQuery({ ...appQuery(appId ?? ''), enabled: appId !== undefined });
  usePageTitle([part, useShownText(title, heading), within, app?.name ?? '']);
  return (
    <Group justify="space-between" align="flex-start" mb="lg" gap="md">
      <div>
        <Title order={2} ref={heading} tabIndex={-1}>
          {title}
          {part && <VisuallyHidden> · {part}</VisuallyHidden>}
        </Title>
        {back && <div className={classes.back}>{back}</div>}
        <About size="sm">{children}</About>
      </div>
      {action}
    </Group>
  );
}
