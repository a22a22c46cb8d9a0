import { Button, Checkbox, Popover, Stack } from '@mantine/core';
import { isTexts, useKept } from '../../lib/actions/kept.ts';
import { useSession } from '../../lib/data/access.ts';
import { t } from '../../lib/words/words.ts';
import { Icon } from '../page/blocks.tsx';
import type { Column } from './data-table.tsx';

/** The columns of a list that somebody does not want to see, kept on this device; the optional ones until something is chosen. */
export function useHiddenColumns<T>(list: string, columns: readonly Column<T>[]) {
  const { adminId } = useSession();
  const optional = columns.filter(({ isOptional }) => isOptional).map(({ name }) => name);
  return useKept(`columns ${adminId} ${list}`, isTexts, optional);
}

/** The first column names the record, so that it stays. */
export function shownColumns<T>(columns: readonly Column<T>[], hidden: readonly string[]): readonly Column<T>[] {
  return columns.filter(({ name }, index) => index === 0 || !hidden.includes(name));
}

interface Props {
  readonly columns: readonly Pick<Column<never>, 'name' | 'label'>[];
  readonly hidden: readonly string[];
  readonly onChange: (hidden: readonly string[]) => void;
}

export function ColumnMenu({ columns, hidden, onChange }: Props) {
  const choices = columns.slice(1);
  if (choices.length === 0) return null;
  return (
    <Popover position="bottom-end" trapFocus>
      <Popover.Target>
        <Button leftSection={<Icon name="table" size={16} />}>{t('Columns')}</Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('Columns')}>
        <Stack gap="xs">
          {choices.map(({ name, label }) => {
            const isShown = !hidden.includes(name);
            return (
              <Checkbox
                key={name}
                size="xs"
                label={label}
                checked={isShown}
                onChange={() => onChange(isShown ? [...hidden, name] : hidden.filter((one) => one !== name))}
              />
            );
          })}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
