import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './blocks.module.css';
import { Icon, type IconName } from './icon.tsx';

interface Props {
  readonly icon: IconName;
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** Where there is nothing yet: what would be here, and what to do next. */
export function EmptyState({ icon, title, children, action }: Props) {
  return (
    <div className={classes.empty}>
      <span className={classes.emptyIcon}>
        <Icon name={icon} size={26} />
      </span>
      <Title order={2}>{title}</Title>
      <Text c="dimmed" maw="30rem" ta="center" component="div">
        {children}
      </Text>
      {action}
    </div>
  );
}
