import { Button, Group, Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { t } from '../../lib/words/words.ts';
import { FailureNote } from './failure-note.tsx';
import { Icon } from './icon.tsx';
import { LinkButton } from './link-button.tsx';
import names from './names.module.css';
import { SectionHeader } from './page-header.tsx';

interface Way {
  readonly label: string;
  readonly to: string;
  readonly params: object;
}

/** A link back to the list, below the title. */
export function BackLink({ label, to, params }: Way) {
  return (
    <Link to={to} params={params as never} className={names.link}>
      {label}
    </Link>
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
      <SectionHeader title={title(data)} action={data && action?.(data)}>
        {all && <BackLink {...all} />}
      </SectionHeader>
      <FailureNote message={error?.message} />
      {!data && !error && <Skeleton h={height} />}
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
    <Button variant="default" leftSection={<Icon name="trash" size={16} />} onClick={onClick}>
      {children}
    </Button>
  );
}

interface ActionsProps {
  /** The page on which the record is edited. */
  readonly edit: { readonly to: string; readonly params: object };
  readonly onDelete: () => void;
}

export function EditOrDelete({ edit, onDelete }: ActionsProps) {
  return (
    <Group gap="xs">
      <DeleteButton onClick={onDelete} />
      <LinkButton to={edit.to} params={edit.params} icon="edit">
        {t('Edit')}
      </LinkButton>
    </Group>
  );
}
