import { Kbd, Modal, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { maxText } from '../../components/list/list-search.ts';
import { Icon } from '../../components/page/blocks.tsx';
import { useSession } from '../../lib/data/access.ts';
import { t } from '../../lib/words/words.ts';
import { findRecords, fixedEntries, matching } from './entries.ts';
import type { PaletteEntry } from './entry.ts';
import classes from './palette.module.css';
import { takeTyped } from './use-shortcuts.ts';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly appId: string | undefined;
}

/** The search over pages, actions and records. */
export function SearchDialog({ isOpen, onClose, appId }: Props) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('Search everything')}
      size="lg"
      centered={false}
      yOffset="8vh"
      transitionProps={{ duration: 0 }}
    >
      {isOpen && <Search appId={appId} onDone={onClose} />}
    </Modal>
  );
}

export const KeysDialog = ({ isOpen, onClose }: Omit<Props, 'appId'>) => (
  <Modal opened={isOpen} onClose={onClose} title={t('Keys')}>
    <Keys />
  </Modal>
);

const maxShown = 30;
/** How soon is searched again what could not be, ms. */
const againMs = 5_000;

/** What has this name: pages and actions at once, records as soon as the service has answered. */
function useEntries(appId: string | undefined, text: string) {
  const session = useSession();
  const [asked] = useDebouncedValue(text.trim(), 200);
  const { data, error, isFetching } = useQuery({
    queryKey: ['apps', appId, 'palette', asked],
    queryFn: () => findRecords(session, appId ?? '', asked),
    enabled: appId !== undefined && asked !== '',
    refetchInterval: ({ state: { data } }) => (data?.failure === undefined ? false : againMs),
  });
  const wanted = text.trim();
  const isWaiting = isFetching || (appId !== undefined && asked !== wanted);
  // Until the pause is over they are those of a shorter text, and Enter must not open what this one does not name.
  const records = (data?.entries ?? []).filter(
    ({ label }) => asked === wanted || label.toLowerCase().includes(wanted.toLowerCase()),
  );
  const entries = [...matching(fixedEntries(session, appId), text), ...(wanted === '' ? [] : records)].slice(
    0,
    maxShown,
  );
  const failure = wanted === '' ? undefined : (data?.failure ?? error?.message);
  return { entries, isWaiting, failure, unsearched: data?.unsearched ?? [], hasMore: data?.hasMore ?? false };
}

function Search({ appId, onDone }: Pick<Props, 'appId'> & { readonly onDone: () => void }) {
  const navigate = useNavigate();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  // The dialog would do it a moment later, and the first letter be lost; so it does not know where the focus was.
  useEffect(() => {
    const before = document.activeElement;
    field.current?.focus();
    setText(takeTyped());
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  const [place, setPlace] = useState(0);
  const { entries, ...searched } = useEntries(appId, text);
  const chosen = Math.min(place, entries.length - 1);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  function go(entry: PaletteEntry | undefined) {
    if (!entry) return;
    onDone();
    void navigate({ to: entry.to, params: (entry.params ?? {}) as never, search: (entry.search ?? {}) as never });
  }
  function press(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setPlace((chosen + step + entries.length) % Math.max(1, entries.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      go(entries[chosen]);
    }
  }
  return (
    <>
      <TextInput
        aria-label={t('Search pages, actions and records')}
        placeholder={t('A page, something to do, a name or an id')}
        data-autofocus
        ref={field}
        role="combobox"
        aria-expanded
        aria-controls={`${id}list`}
        aria-activedescendant={entries[chosen] ? `${id}${chosen}` : undefined}
        autoComplete="off"
        maxLength={maxText}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setPlace(0);
        }}
        onKeyDown={press}
      />
      <div className={classes.list} tabIndex={-1} id={`${id}list`} role="listbox" aria-label={t('Found')} ref={list}>
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus
          <div
            key={`${entry.kind} ${entry.key}`}
            id={`${id}${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className={classes.entry}
            onClick={() => go(entry)}
          >
            <Icon name={entry.icon} size={16} />
            <span className={classes.label}>{entry.label}</span>
            <span className={classes.kind}>{entry.kind}</span>
          </div>
        ))}
      </div>
      <Text c="dimmed" role="status">
        {said({ isEmpty: entries.length === 0, ...searched })}
      </Text>
    </>
  );
}

interface Said {
  readonly isEmpty: boolean;
  readonly isWaiting: boolean;
  readonly failure: string | undefined;
  readonly unsearched: readonly string[];
  readonly hasMore: boolean;
}

const maxNamed = 5;

/** Below what was found. That nothing has the name is said only after everything was searched. */
function said({ isEmpty, isWaiting, failure, unsearched, hasMore }: Said): string {
  if (failure !== undefined) return t('Not everything could be searched. {message}', { message: failure });
  if (!isEmpty) return hasMore ? t('There are more. Type to find them.') : '';
  if (isWaiting) return t('Searching …');
  if (unsearched.length === 0) return t('Nothing has this name or id.');
  return t('Nothing found. The records of some buckets were not searched, such as {buckets}: search there.', {
    buckets: unsearched.slice(0, maxNamed).join(', '),
  });
}

const keys = [
  { keys: [t('Ctrl'), 'K'], text: t('Search pages, actions and records') },
  { keys: ['/'], text: t('Go to the search field of the list; elsewhere, search everything') },
  { keys: ['?'], text: t('Show these keys') },
  { keys: ['Esc'], text: t('Close a dialog') },
];

function Keys() {
  return (
    <dl className={classes.keys}>
      {keys.map(({ keys: pressed, text }) => (
        <div key={text}>
          <dt>
            {pressed.map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
