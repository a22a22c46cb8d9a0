import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useEffect } from 'react';

interface Props {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** The heading of a page: title, a sentence about it, and the main action. */
export function PageHeader({ title, children, action }: Props) {
  usePageTitle(title);
  return (
    <Group justify="space-between" align="flex-start" mb="xl" gap="md">
      <div>
        <Title order={1}>{title}</Title>
        {children && (
          <Text c="dimmed" mt={4} maw="40rem" component="div">
            {children}
          </Text>
        )}
      </div>
      {action}
    </Group>
  );
}

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Pharos`;
  }, [title]);
}

/** The heading of a section of an app, below the app's name. */
export function SectionHeader({ title, children, action }: Omit<Props, 'title'> & { readonly title: ReactNode }) {
  return (
    <Group justify="space-between" align="flex-start" mb="lg" gap="md">
      <div>
        <Title order={2}>{title}</Title>
        {children && (
          <Text c="dimmed" size="sm" mt={2} maw="42rem" component="div">
            {children}
          </Text>
        )}
      </div>
      {action}
    </Group>
  );
}
