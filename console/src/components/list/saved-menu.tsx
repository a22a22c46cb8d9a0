import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useKept } from '../../lib/actions/kept.ts';
import { useSession } from '../../lib/data/access.ts';
import { t } from '../../lib/words/words.ts';
import { Icon } from '../page/blocks.tsx';

interface Saved<T> {
  readonly name: string;
  readonly value: T;
}

interface Props<T> {
  /** What is saved: `filters notifications <app>`. */
  readonly list: string;
  readonly kind: 'filter' | 'audience';
  /** What there is to save now; undefined: nothing. */
  readonly present: T | undefined;
  readonly isValid: (value: unknown) => value is T;
  readonly onChoose: (value: T) => void;
}

const maxSaved = 30;

/** Filters or audiences that somebody has given a name, kept on this device. */
export function SavedMenu<T>({ list, kind, present, isValid, onChoose }: Props<T>) {
  const { adminId } = useSession();
  const areValid = (value: unknown): value is readonly Saved<T>[] =>
    Array.isArray(value) && value.every((one) => typeof one?.name === 'string' && isValid(one.value));
  const [saved, setSaved] = useKept<readonly Saved<T>[]>(`${list} ${adminId}`, areValid, []);
  const [name, setName] = useState('');
  const [isOpen, setOpen] = useState(false);
  if (saved.length === 0 && present === undefined) return null;
  function save() {
    if (present === undefined || name.trim() === '') return;
    const others = saved.filter((one) => one.name !== name.trim());
    setSaved([{ name: name.trim(), value: present }, ...others].slice(0, maxSaved));
    setName('');
  }
  return (
    <Popover position="bottom-start" trapFocus opened={isOpen} onChange={setOpen}>
      <Popover.Target>
        <Button leftSection={<Icon name="list" size={16} />} onClick={() => setOpen(!isOpen)}>
          {t('Saved {kind, select, audience {audiences} other {filters}}', { kind })}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('Saved {kind, select, audience {audiences} other {filters}}', { kind })}>
        <Stack gap="xs">
          {saved.map((one) => (
            <Group key={one.name} gap={4} wrap="nowrap" justify="space-between">
              <Button
                size="xs"
                variant="subtle"
                onClick={() => {
                  setOpen(false);
                  onChoose(one.value);
                }}
              >
                {one.name}
              </Button>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('Forget {name}', { name: one.name })}
                onClick={() => setSaved(saved.filter((other) => other !== one))}
              >
                <Icon name="close" size={14} />
              </ActionIcon>
            </Group>
          ))}
          {present !== undefined && (
            <Group gap={6} align="flex-end" wrap="nowrap">
              <TextInput
                size="xs"
                label={t('Save this {kind, select, audience {audience} other {filter}} as', { kind })}
                value={name}
                maxLength={60}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter') return;
                  // It may stand in the form of a message.
                  event.preventDefault();
                  save();
                }}
                onChange={({ currentTarget }) => setName(currentTarget.value)}
              />
              <Button variant="filled" size="xs" disabled={name.trim() === ''} onClick={save}>
                {t('Save')}
              </Button>
            </Group>
          )}
          <Text size="xs" c="dimmed">
            {t('Kept for you on this device.')}
          </Text>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
