import { Button, Group, Modal, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { where } from '@pharos/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataKey, dataOf } from '../../lib/data/api.ts';
import { givenName, ownFilePath } from '../../lib/data/own-files.ts';
import { t } from '../../lib/words/words.ts';
import { Icon, Loading } from '../page/blocks.tsx';
import classes from './files.module.css';

export type FileKind = 'image' | 'video' | 'file';

const plurals = { image: t('pictures'), video: t('videos'), file: t('files') } as const;

interface Props {
  readonly appId: string;
  readonly kind: FileKind;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onChoose: (address: string) => void;
}

const pageSize = 24;

/** The app's own pictures or videos, newest first. */
export function FileChooser({ appId, kind, isOpen, onClose, onChoose }: Props) {
  const [text, setText] = useState('');
  const [page, setPage] = useState(0);
  const [asked] = useDebouncedValue(text.trim(), 200);
  const { data, error } = useQuery({
    queryKey: dataKey(appId, 'listFiles', 'chooser', kind, asked, page),
    queryFn: () => {
      const ofKind = kind === 'file' ? where() : where().startsWith('contentType', `${kind}/`);
      return dataOf(appId).files.list({
        ...(asked || kind !== 'file' ? { where: asked ? ofKind.contains('name', asked) : ofKind } : {}),
        order: '-createdAt',
        skip: page * pageSize,
        limit: pageSize,
        count: 1,
      });
    },
    enabled: isOpen,
    placeholderData: keepPreviousData,
  });
  const plural = plurals[kind];
  const pages = Math.ceil((data?.count ?? 0) / pageSize);
  return (
    <Modal opened={isOpen} onClose={onClose} title={t("The app's {plural}", { plural })} size="lg">
      <Stack>
        <TextInput
          type="search"
          aria-label={t('Search the {plural}', { plural })}
          placeholder={t('Search by name')}
          data-autofocus
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value);
            setPage(0);
          }}
        />
        <Loading data={data} error={error} height={200} />
        {data?.results.length === 0 && (
          <Text c="dimmed">
            {asked ? t('No {plural} match.', { plural }) : t('There are no {plural} yet. Upload one.', { plural })}
          </Text>
        )}
        <ul className={classes.grid}>
          {data?.results.map(({ objectId, name, url }) => (
            <li key={objectId}>
              <UnstyledButton className={classes.file} onClick={() => onChoose(url)}>
                <Thumbnail path={kind === 'image' ? ownFilePath(url, appId) : undefined} kind={kind} />
                <span className={classes.name}>{givenName(name)}</span>
              </UnstyledButton>
            </li>
          ))}
        </ul>
        {pages > 1 && (
          <Group justify="space-between">
            <Button size="xs" disabled={page === 0} onClick={() => setPage(page - 1)}>
              {t('Newer')}
            </Button>
            <Text c="dimmed">{t('Page {page} of {pages}', { page: page + 1, pages })}</Text>
            <Button size="xs" disabled={page + 1 >= pages} onClick={() => setPage(page + 1)}>
              {t('Older')}
            </Button>
          </Group>
        )}
      </Stack>
    </Modal>
  );
}

function Thumbnail({ path, kind }: { readonly path: string | undefined; readonly kind: FileKind }) {
  if (path) return <img className={classes.thumbnail} src={path} alt="" loading="lazy" />;
  return (
    <span className={classes.thumbnail}>
      <Icon name={({ image: 'picture', video: 'play', file: 'file' } as const)[kind]} size={26} />
    </span>
  );
}
