import { Group, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { LanguagePicker } from '../../components/page/language-picker.tsx';
import { Lighthouse } from '../../components/page/lighthouse.tsx';
import classes from './front.module.css';

interface Props {
  readonly title: string;
  readonly about: ReactNode;
  readonly children?: ReactNode;
}

/** The frame of the pages for signing in. */
export function Front({ title, about, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Pharos`;
  }, [title]);
  return (
    <main className={classes.front}>
      <div className={classes.card}>
        <Group gap="0.6rem" mb="1.6rem" fw={650} fz="1.1rem" wrap="nowrap">
          <Lighthouse size={32} />
          Pharos
        </Group>
        <Title order={1}>{title}</Title>
        <Text size="md" c="dimmed" mt={4} mb="lg" component="div">
          {about}
        </Text>
        {children}
      </div>
      <LanguagePicker />
    </main>
  );
}
