import { Badge, Box, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { CopyButton } from '../../components/code/copy-field.tsx';
import { Row, RowList } from '../../components/list/row-list.tsx';
import { Block } from '../../components/page/blocks.tsx';
import { afterPaint } from '../../lib/actions/after-paint.ts';
import { useTimes } from '../../lib/time/times.ts';
import type { Operations } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import { erasuresQuery, privacyQuery } from './queries.ts';

type Receipt = Operations['listErasures']['answer']['result'][number];

const kinds = {
  user: t('A user with everything that was known'),
  installation: t('A phone'),
  traces: t('What was recorded of a phone'),
} as const;

const askers = {
  person: t('by the person, in the app'),
  administrator: t('by an administrator'),
  request: t('in the app or in this console'),
  'command line': t('on the command line'),
  restore: t('again after a backup was restored'),
} as const;

/** Receipts of erasures: they name nobody. */
export function Erasures({ appId }: { readonly appId: string }) {
  const { data, error } = useQuery(erasuresQuery(appId));
  const times = useTimes(appId);
  const { hash } = useLocation();
  const place = useRef<HTMLDivElement>(null);
  // What is above has its height then.
  const isWhole = useQuery(privacyQuery(appId)).data !== undefined && data !== undefined;
  useEffect(() => {
    if (isWhole && hash === 'erasures') afterPaint(() => place.current?.scrollIntoView());
  }, [isWhole, hash]);
  return (
    <Box ref={place} mt="1.25rem">
      <Block
        title={t('Erasures')}
        about={t('Receipts, which name nobody. Times are in {zone}. Accounts and phones are erased on their pages.', {
          zone: times.zone,
        })}
      >
        <RowList
          rows={data}
          error={error}
          label={t('Erasures')}
          empty={<Text c="dimmed">{t('Nobody has been erased yet.')}</Text>}
        >
          {(receipt) => <Erasure key={receipt.erasureId} receipt={receipt} dateTime={times.dateTime} />}
        </RowList>
      </Block>
    </Box>
  );
}

function Erasure({ receipt, dateTime }: { readonly receipt: Receipt; readonly dateTime: (iso: string) => string }) {
  const { erasureId, kind, askedBy, requestedAt, completedAt, erased, webhooks } = receipt;
  const rows = Object.values(erased).reduce((sum, count) => sum + count, 0);
  return (
    <Row
      title={
        <>
          {kinds[kind]} {completedAt === null && <Badge>{t('under way')}</Badge>}
        </>
      }
      facts={[
        t('asked for {dateTime} {value}', { dateTime: dateTime(requestedAt), value: askers[askedBy] }),
        t('{rows, plural, one {1 row} other {# rows}}', { rows }),
      ]}
      tools={<CopyButton text={JSON.stringify(receipt, null, 2)} label={t('the receipt {erasureId}', { erasureId })} />}
    >
      {webhooks && webhooks.length > 0 && (
        <Text mt={4}>
          {t('Webhooks had sent something to {list}: ask them to erase it too.', {
            list: webhooks.map(({ host }) => host).join(', '),
          })}
        </Text>
      )}
      {backupsText(receipt, dateTime) && <Text mt={4}>{backupsText(receipt, dateTime)}</Text>}
    </Row>
  );
}

function backupsText({ backups, backupsHoldUntil }: Receipt, dateTime: (iso: string) => string): string {
  const count = backups?.length ?? 0;
  if (count === 0) return '';
  const which = t('{count, plural, one {One backup still holds it} other {{count} backups still hold it}}', { count });
  return backupsHoldUntil === null
    ? t('{which} until somebody deletes it.', { which })
    : t('{which} until {dateTime}.', { which, dateTime: dateTime(backupsHoldUntil) });
}
