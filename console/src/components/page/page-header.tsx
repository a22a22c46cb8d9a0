import { Alert, Group, Title, VisuallyHidden } from '@mantine/core';
import type { QueryKey, UseQueryOptions, UseQueryResult } from '@tanstack/react-query';
import { useQuery } from '@tanstack/react-query';
import { useParams, useRouterState } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { appQuery } from '../../lib/data/queries.ts';
import { t } from '../../lib/words/words.ts';
import { TextLink } from '../names/names.tsx';
import { handbookAt, helpOf } from '../sections/help.ts';
import { FailureNote, Icon, LinkButton, Loading } from './blocks.tsx';
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
            className={`${classes.help} finger`}
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

interface Way {
  readonly label: string;
  readonly to: string;
  readonly params: object;
}

export function BackLink({ label, to, params }: Way) {
  return (
    <TextLink to={to} params={params as never}>
      {label}
    </TextLink>
  );
}

interface RecordProps<T> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error'>;
  /** The name of the record; it is undefined until it has loaded. */
  readonly title: (record: T | undefined) => ReactNode;
  readonly action?: (record: T) => ReactNode;
  /** The list that the record is in. */
  readonly all?: Way;
  /** Height of the placeholder, px. */
  readonly height?: number;
  readonly children: (record: T) => ReactNode;
}

/** The page of one record: its name, the way back to the list, its actions and its content. */
export function RecordPage<T>({ query: { data, error }, title, action, all, height = 260, children }: RecordProps<T>) {
  return (
    <>
      <PageHeader title={title(data)} back={all && <BackLink {...all} />} action={data && action?.(data)} />
      <Loading data={data} error={error} height={height} />
      {data && children(data)}
    </>
  );
}

/** A record once something else of its page is there, too, which would move what is below it. */
export const once = <T,>({ data, error }: RecordProps<T>['query'], { isPending }: { readonly isPending: boolean }) => ({
  data: isPending ? undefined : data,
  error,
});

interface NewProps<T, Key extends QueryKey> {
  readonly title: string;
  /** The record to copy, from the address; undefined: an empty form. */
  readonly from: string | undefined;
  readonly modelOf: (from: string) => UseQueryOptions<T, Error, T, Key>;
  /** What is not copied: secrets, and values that must differ. */
  readonly note: string;
  readonly children: (copied: { readonly model?: T }) => ReactNode;
}

/** The page of a new record: its form, once the record that it copies is read. */
export function NewPage<T, Key extends QueryKey>({ title, from, modelOf, note, children }: NewProps<T, Key>) {
  const { data: model, error } = useQuery({ ...modelOf(from ?? ''), enabled: from !== undefined });
  return (
    <>
      <PageHeader title={title} />
      <FailureNote message={error?.message} />
      {model && <CopyNote>{note}</CopyNote>}
      {(from === undefined || model) && children(model ? { model } : {})}
    </>
  );
}

/** Says above the form of a copy what was not copied. */
export function CopyNote({ children }: { readonly children: string }) {
  return (
    <Alert color="blue" mb="md" role="note" icon={<Icon name="copy" />}>
      {t('This is a copy, and nothing is saved yet.')} {children}
    </Alert>
  );
}

interface Address {
  readonly to: string;
  readonly params: object;
}

interface ActionsProps {
  /** The page on which the record is edited; without it, its own page is the form. */
  readonly edit?: Address;
  /** The form of a new one, and the record that it copies. */
  readonly copy?: Address & { readonly from: string };
  readonly deletion: ReactNode;
}

export function EditOrDelete({ edit, copy, deletion }: ActionsProps) {
  return (
    <Group gap="xs">
      {deletion}
      {copy && (
        <LinkButton to={copy.to} params={copy.params} search={{ from: copy.from }} icon="copy" isPlain>
          {t('Duplicate')}
        </LinkButton>
      )}
      {edit && (
        <LinkButton to={edit.to} params={edit.params} icon="edit">
          {t('Edit')}
        </LinkButton>
      )}
    </Group>
  );
}
