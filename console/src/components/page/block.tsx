import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './blocks.module.css';

interface Props {
  readonly title: string;
  readonly about?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page with a heading. */
export function Block({ title, about, children }: Props) {
  return (
    <section className={classes.block} aria-label={title}>
      <Title order={2}>{title}</Title>
      {about && (
        <Text c="dimmed" mt={2} maw="42rem" component="div">
          {about}
        </Text>
      )}
      <div className={classes.inside}>{children}</div>
    </section>
  );
}
