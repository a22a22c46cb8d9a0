import { Button, Group, Text } from '@mantine/core';
import { t } from '../words/words.ts';

/** A message with a button that reverts the action. */
export function undoMessage(message: string, onUndo: () => void) {
  return (
    <Group justify="space-between" gap="sm" wrap="nowrap">
      <Text size="sm">{message}</Text>
      <Button size="compact-sm" variant="light" flex="none" onClick={onUndo}>
        {t('Undo')}
      </Button>
    </Group>
  );
}
