import { Button, Group, Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { FailureNote } from './failure-note.tsx';
import { Icon } from './icon.tsx';
import names from './names.module.css';
import { SectionHeader } from './page-header.tsx';

interface Props<T> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error'>;
  /** What the record is called; `undefined` while it is not there yet. */
  readonly title: (record: T | undefined) => ReactNode;
  readonly action?: (record: T) => ReactNode;
  /** The way back. */
  readonly all: { readonly label: string; readonly to: string; readonly params: object };
  readonly children: (record: T) => ReactNode;
}

/** The page of one record: its name, the way back to all of them, what may be done with it, and what is known of it. */
export function RecordPage<T>({ query: { data, error }, title, action, all, children }: Props<T>) {
  return (
    <>
      <SectionHeader title={title(data)} action={data && action?.(data)}>
        <Link to={all.to} params={all.params as never} className={names.link}>
          {all.label}
        </Link>
      </SectionHeader>
      <FailureNote message={error?.message} />
      {!data && !error && <Skeleton h={260} />}
      {data && children(data)}
    </>
  );
}

interface ActionsProps {
  /** The page on which the record is changed. */
  readonly change: { readonly to: string; readonly params: object };
  readonly onDelete: () => void;
}

export function ChangeOrDelete({ change, onDelete }: ActionsProps) {
  return (
    <Group gap="xs">
      <Button variant="default" leftSection={<Icon name="trash" size={16} />} onClick={onDelete}>
        Delete
      </Button>
      <Button
        leftSection={<Icon name="edit" size={16} />}
        component={Link}
        to={change.to}
        params={change.params as never}
      >
        Change
      </Button>
    </Group>
  );
}
