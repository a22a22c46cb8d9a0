import { Badge, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CopyButton } from '../../components/code/copy-field.tsx';
import { RowList } from '../../components/list/row-list.tsx';
import { Block } from '../../components/page/block.tsx';
import blocks from '../../components/page/blocks.module.css';
import { useTimes } from '../../lib/time/times.ts';
import type { Operations } from '../../lib/wire.ts';
import { erasuresQuery } from './queries.ts';

type Receipt = Operations['listErasures']['answer']['result'][number];

const kinds = {
  user: 'A user with everything that was known',
  installation: 'An installation',
  traces: 'What was recorded of an installation',
} as const;

const askers = {
  person: 'by the person, in the app',
  administrator: 'by an administrator',
  request: 'in the app or in this console',
  'command line': 'on the command line',
  restore: 'again after a backup was restored',
} as const;

/** Receipts of erasures: they name nobody. */
export function Erasures({ appId }: { readonly appId: string }) {
  const { data, error } = useQuery(erasuresQuery(appId));
  const times = useTimes(appId);
  return (
    <Block
      title="Erasures"
      about={`Receipts, which name nobody. Times are in ${times.zone}. Users and installations are erased on their pages.`}
    >
      <RowList
        rows={data}
        error={error}
        label="Erasures"
        empty={
          <Text c="dimmed" size="sm">
            Nobody has been erased yet.
          </Text>
        }
      >
        {(receipt) => <Row key={receipt.erasureId} receipt={receipt} dateTime={times.dateTime} />}
      </RowList>
    </Block>
  );
}

function Row({ receipt, dateTime }: { readonly receipt: Receipt; readonly dateTime: (iso: string) => string }) {
  const { erasureId, kind, askedBy, requestedAt, completedAt, erased, webhooks } = receipt;
  const rows = Object.values(erased).reduce((sum, count) => sum + count, 0);
  return (
    <li className={`${blocks.row} ${blocks.stacking}`}>
      <div className={blocks.grow}>
        <div className={blocks.title}>
          {kinds[kind]}{' '}
          {completedAt === null && (
            <Badge variant="light" tt="none">
              under way
            </Badge>
          )}
        </div>
        <div className={blocks.meta}>
          <span>
            asked for {dateTime(requestedAt)} {askers[askedBy]}
          </span>
          <span>{rows === 1 ? '1 row' : `${rows.toLocaleString('en')} rows`}</span>
        </div>
        {webhooks && webhooks.length > 0 && (
          <Text size="sm" mt={4}>
            Webhooks had sent something to {webhooks.map(({ host }) => host).join(', ')}: ask them to erase it too.
          </Text>
        )}
        {backupsText(receipt, dateTime) && (
          <Text size="sm" mt={4}>
            {backupsText(receipt, dateTime)}
          </Text>
        )}
      </div>
      <div className={blocks.tools}>
        <CopyButton text={JSON.stringify(receipt, null, 2)} label={`the receipt ${erasureId}`} />
      </div>
    </li>
  );
}

function backupsText({ backups, backupsHoldUntil }: Receipt, dateTime: (iso: string) => string): string {
  const count = backups?.length ?? 0;
  if (count === 0) return '';
  const which = count === 1 ? 'One backup still holds it' : `${count} backups still hold it`;
  return backupsHoldUntil === null
    ? `${which} until somebody deletes it.`
    : `${which} until ${dateTime(backupsHoldUntil)}.`;
}
