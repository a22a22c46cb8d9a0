import { Button, Group, Text } from '@mantine/core';

/** A message with a button that reverts the action. */
export function undoMessage(message: string, onUndo: () => void) {
  return (
    <Group justify="space-between" gap="sm" wrap="nowrap">
      <Text size="sm">{message}</Text>
      <Button size="compact-sm" variant="light" onClick={onUndo}>
        Undo
      </Button>
    </Group>
  );
}
