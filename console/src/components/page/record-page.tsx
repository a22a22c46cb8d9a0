import { Alert, Button, Group } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { t } from '../../lib/words/words.ts';
import { TextLink } from '../names/text-link.tsx';
import { FailureNote, Loading } from './failure-note.tsx';
import { Icon } from './icon.tsx';
import { LinkButton } from './link-button.tsx';
import { PageHeader } from './page-header.tsx';

interface Way {
  readonly label: string;
  readonly to: string;
  readonly params: object;
}

/** A link back to the list, below the title. */
export function BackLink({ label, to, params }: Way) {
  return (
    <TextLink to={to} params={params as never}>
      {label}
    </TextLink>
  );
}

interface Props<T> {
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
export function RecordPage<T>({ query: { data, error }, title, action, all, height = 260, children }: Props<T>) {
  return (
    <>
      <PageHeader title={title(data)} back={all && <BackLink {...all} />} action={data && action?.(data)} />
      <Loading data={data} error={error} height={height} />
      {data && children(data)}
    </>
  );
}

interface DeleteProps {
  readonly onClick: () => void;
  readonly children?: string;
}

/** Opens the dialog that deletes the record of a page. */
export function DeleteButton({ onClick, children = t('Delete') }: DeleteProps) {
  return (
    <Button leftSection={<Icon name="trash" size={16} />} onClick={onClick}>
      {children}
    </Button>
  );
}

interface CopyProps<T> {
  /** The record to copy, from the address; undefined: an empty form. */
  readonly from: string | undefined;
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error'>;
  /** What is not copied: secrets, and values that must differ. */
  readonly note: string;
  readonly children: (model: T | undefined) => ReactNode;
}

/** The form of a new record, once the record that it copies is read. */
export function NewFrom<T>({ from, query: { data, error }, note, children }: CopyProps<T>) {
  if (from === undefined) return children(undefined);
  return (
    <>
      <FailureNote message={error?.message} />
      {data && (
        <>
          <CopyNote>{note}</CopyNote>
          {children(data)}
        </>
      )}
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
  readonly onDelete: () => void;
}

export function EditOrDelete({ edit, copy, onDelete }: ActionsProps) {
  return (
    <Group gap="xs">
      <DeleteButton onClick={onDelete} />
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
