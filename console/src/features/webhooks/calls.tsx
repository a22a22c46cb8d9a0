import { Badge, Group, NativeSelect, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { CodeBlock, JsonBlock } from '../../components/code/code-block.tsx';
import { Row, RowButton, RowList } from '../../components/list/row-list.tsx';
import { Block } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMay } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { useTimes } from '../../lib/time/times.ts';
import type { WebhookDelivery } from '../../lib/wire.ts';
import { t, translated } from '../../lib/words/words.ts';
import { callsQuery, webhooksKey } from './queries.ts';
import classes from './webhooks.module.css';
import { callColor, callStates, callWord, readCallsSearch } from './words.ts';

const route = getRouteApi('/signed-in/apps/$appId/webhooks/$webhookId');

interface Props {
  readonly appId: string;
  readonly webhookId: string;
}

/** The calls of the last week, with the answers of the receiver. */
export function CallsBlock({ appId, webhookId }: Props) {
  const { state } = route.useSearch();
  const navigate = route.useNavigate();
  const times = useTimes(appId);
  const calls = useInfiniteQuery(callsQuery({ appId, webhookId, state }));
  return (
    <Block
      title={t('Calls')}
      about={t('Calls of the last seven days, newest first. Times are in {zone}.', { zone: times.zone })}
    >
      <NativeSelect
        label={t('State')}
        maw="14rem"
        mb="1rem"
        data={[
          { value: '', label: t('Every state') },
          ...callStates.map((value) => ({ value, label: callWord(value) })),
        ]}
        value={state ?? ''}
        onChange={({ currentTarget: { value } }) =>
          void navigate({ search: readCallsSearch({ state: value }), replace: true })
        }
      />
      <RowList
        rows={calls.data?.pages.flat()}
        error={calls.error}
        label={t('Calls')}
        height={120}
        empty={
          <Text c="dimmed">
            {state ? t('No call is in this state.') : t('No calls yet. They appear here as soon as something happens.')}
          </Text>
        }
        older={{ label: t('Show older calls'), ...calls }}
      >
        {(one) => <Call key={one.objectId} appId={appId} webhookId={webhookId} delivery={one} />}
      </RowList>
    </Block>
  );
}

function Call({ appId, webhookId, delivery }: Props & { readonly delivery: WebhookDelivery }) {
  const { objectId: deliveryId, event, state, attempts, reason, duration, nextTryAt, createdAt } = delivery;
  const mayWrite = useMay()('webhooks.write');
  const times = useTimes(appId);
  const again = useAction({
    run: () => call('redeliverWebhook', { params: { appId, webhookId, deliveryId } }),
    done: t('The call is sent again.'),
    refresh: [webhooksKey(appId)],
  });
  return (
    <Row
      title={
        <Group component="span" gap="0.2rem 0.7rem">
          <span className="mono">{event}</span>
          <Badge color={callColor(state)}>{callWord(state)}</Badge>
        </Group>
      }
      facts={[
        times.dateTime(createdAt),
        attempts > 0 && t('{attempts, plural, one {1 try} other {{attempts} tries}}', { attempts }),
        duration !== null && t('{duration} ms', { duration: Math.round(duration * 1000) }),
        state === 'queued' && nextTryAt && t('next try {dateTime}', { dateTime: times.dateTime(nextTryAt) }),
      ]}
      tools={
        mayWrite &&
        state !== 'queued' &&
        !event.startsWith('record.') && (
          <RowButton label={t('Send again')} isBusy={again.isPending} onClick={() => again.mutate()} />
        )
      }
    >
      {reason && (
        <Text mt={4} className={classes.reason ?? ''}>
          {translated(reason)}
        </Text>
      )}
      <Contents delivery={delivery} />
    </Row>
  );
}

function Contents({ delivery: { objectId, payload, answer } }: { readonly delivery: WebhookDelivery }) {
  return (
    <details className={classes.contents}>
      <summary>{t('Request and answer')}</summary>
      <dl>
        <dt>webhook-id</dt>
        <dd className="mono">{objectId}</dd>
        <dt>{t('Sent')}</dt>
        <dd>
          <JsonBlock value={payload} />
        </dd>
        <dt>{t('Answered')}</dt>
        <dd>{answer ? <CodeBlock>{answer}</CodeBlock> : t('Nothing')}</dd>
      </dl>
    </details>
  );
}
