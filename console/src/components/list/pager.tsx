import { ActionIcon, Group, NativeSelect, Text } from '@mantine/core';
import { t } from '../../lib/words/words.ts';
import { Icon } from '../page/blocks.tsx';
import { deepestSkip, pageSizes } from './list-search.ts';

interface Props {
  readonly page: number;
  readonly size: number;
  readonly count: number | undefined;
  readonly plural: string;
  readonly onPage: (page: number) => void;
  readonly onSize: (size: number) => void;
}

/** `1–25 of 4,210`, with buttons for the previous and the next page. */
export function Pager({ page, size, count = 0, plural, onPage, onSize }: Props) {
  const first = Math.min((page - 1) * size + 1, count);
  const last = Math.min(page * size, count);
  const pages = Math.max(1, Math.ceil(Math.min(count, deepestSkip + size) / size));
  return (
    <Group gap="0.5rem 1rem" justify="space-between" mt="0.8rem">
      <Text c="dimmed" role="status">
        {count === 0
          ? t('No {plural}', { plural })
          : t('{first, number}–{last, number} of {count, number}', { first, last, count })}
      </Text>
      <Group gap="xs">
        <NativeSelect
          size="xs"
          aria-label={t('Rows per page')}
          data={pageSizes.map((value) => ({ value: String(value), label: t('{value} per page', { value }) }))}
          value={String(size)}
          onChange={({ currentTarget: { value } }) => onSize(Number(value))}
        />
        <ActionIcon
          variant="default"
          size={30}
          aria-label={t('Previous page')}
          disabled={page <= 1}
          onClick={() => onPage(page - 1)}
        >
          <Icon name="back" />
        </ActionIcon>
        <ActionIcon
          variant="default"
          size={30}
          aria-label={t('Next page')}
          disabled={page >= pages}
          onClick={() => onPage(page + 1)}
        >
          <Icon name="next" />
        </ActionIcon>
      </Group>
      {page >= pages && count > deepestSkip + size && (
        <Text c="dimmed">
          {t('Only the first {deepestSkip, number} can be paged through. Filter the list, or reverse the order.', {
            deepestSkip,
          })}
        </Text>
      )}
    </Group>
  );
}
