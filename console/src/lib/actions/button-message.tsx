import { Button, Group, Text } from '@mantine/core';

export interface MessageButton {
  readonly label: string;
  readonly onClick: () => void;
}

export function buttonMessage(message: string, { label, onClick }: MessageButton) {
  return (
    <Group justify="space-between" gap="sm" wrap="nowrap">
      <Text>{message}</Text>
      <Button size="compact-sm" variant="light" flex="none" onClick={onClick}>
        {label}
      </Button>
    </Group>
  );
}
