import { Alert, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Fields } from '../../components/form/use-fields.ts';
import { Icon } from '../../components/page/blocks.tsx';
import type { App } from '../../lib/wire.ts';
import classes from './rules.module.css';

export type Policy = App['policy'];
export type PolicyFields = Fields<Policy>;

export interface PolicyProps {
  readonly fields: PolicyFields;
}

/** One rule, with a warning if it is risky. */
export function Rule({ children, warning }: { readonly children: ReactNode; readonly warning?: string | undefined }) {
  return (
    <Stack gap="0.5rem" maw="38rem">
      {children}
      {warning && (
        <Alert color="yellow" p="xs" icon={<Icon name="warning" size={16} />}>
          {warning}
        </Alert>
      )}
    </Stack>
  );
}

/** Properties of a number input that keeps the last number while it is empty. */
export function numberProps(value: number, set: (value: number) => void) {
  return {
    value,
    onChange: (next: number | string) => typeof next === 'number' && set(next),
    classNames: { wrapper: classes.number ?? '' },
  };
}
