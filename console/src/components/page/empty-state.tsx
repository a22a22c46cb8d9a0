import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './blocks.module.css';
import { Icon, type IconName } from './icon.tsx';

/** What an empty list says: what would be here, and how to start. */
export interface EmptyTexts {
  readonly icon: IconName;
  readonly title: string;
  readonly text: ReactNode;
}

/** In place of a list without records. */
export function EmptyState({ icon, title, text, action }: EmptyTexts & { readonly action?: ReactNode }) {
  return (
    <div className={classes.empty}>
      <span className={classes.emptyIcon}>
        <Icon name={icon} size={26} />
      </span>
      <Title order={2} ta="center">
        {title}
      </Title>
      <Text size="md" c="dimmed" maw="30rem" ta="center" component="div">
        {text}
      </Text>
      {action}
    </div>
  );
}
