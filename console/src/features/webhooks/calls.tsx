import { Badge, Button, Group, NativeSelect, Skeleton, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Block } from '../../components/page/block.tsx';
import blocks from '../../components/page/blocks.module.css';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMay } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { useTimes } from '../../lib/time/times.ts';
import type { WebhookDelivery } from '../../lib/wire.ts';
import { callsQuery, webhooksKey } from './queries.ts';
import classes from './webhooks.module.css';
import { callColor, callStates, callWord, readCallsSearch } from './words.ts';

const route = getRouteApi('/signed-in/apps/$appId/webhooks/$webhookId');

interface Props {
  readonly appId: string;
  readonly webhookId: string;
}

/** What was sent in the last week, with what the receiver answered. */
export function CallsBlock({ appId, webhookId }: Props) {
  const { state } = route.useSearch();
  const navigate = route.useNavigate();
  const times = useTimes(appId);
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    callsQuery({ appId, webhookId, state }),
  );
  const calls = data?.pages.flat();
  return (
    <Block title="Calls" about={`Those of the last seven days, the newest first. Times are in ${times.zone}.`}>
      <NativeSelect
        label="State"
        className={classes.filter ?? ''}
        data={[{ value: '', label: 'Every state' }, ...callStates.map((value) => ({ value, label: callWord(value) }))]}
        value={state ?? ''}
        onChange={({ currentTarget: { value } }) =>
          void navigate({ search: readCallsSearch({ state: value }), replace: true })
        }
      />
      <FailureNote message={error?.message} />
      {!calls && !error && <Skeleton h={120} />}
      {calls?.length === 0 && (
        <Text c="dimmed" size="sm">
          {state
            ? 'No call is in this state.'
            : 'There was no call yet. Each one stands here as soon as something happens.'}
        </Text>
      )}
      {calls && calls.length > 0 && (
        <ul className={blocks.rows} aria-label="Calls">
          {calls.map((one) => (
            <Call key={one.objectId} appId={appId} webhookId={webhookId} delivery={one} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Group justify="center" mt="lg">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older calls
          </Button>
        </Group>
      )}
    </Block>
  );
}

function Call({ appId, webhookId, delivery }: Props & { readonly delivery: WebhookDelivery }) {
  const { objectId: deliveryId, event, state, attempts, reason, duration, nextTryAt, createdAt } = delivery;
  const mayWrite = useMay()('webhooks.write');
  const times = useTimes(appId);
  const again = useAction({
    run: () => call('redeliverWebhook', { params: { appId, webhookId, deliveryId } }),
    done: 'It is sent once more.',
    refresh: [webhooksKey(appId)],
  });
  return (
    <li className={`${blocks.row} ${blocks.stacking} ${classes.call}`}>
      <div className={blocks.grow}>
        <div className={classes.head}>
          <span className="mono">{event}</span>
          <Badge color={callColor(state)} variant="light" tt="none" miw="max-content">
            {callWord(state)}
          </Badge>
        </div>
        <div className={blocks.meta}>
          <span>{times.dateTime(createdAt)}</span>
          {attempts > 0 && <span>{attempts === 1 ? '1 try' : `${attempts} tries`}</span>}
          {duration !== null && <span>{Math.round(duration * 1000)} ms</span>}
          {state === 'queued' && nextTryAt && <span>next try {times.dateTime(nextTryAt)}</span>}
        </div>
        {reason && (
          <Text size="sm" mt={4} className={classes.reason ?? ''}>
            {reason}
          </Text>
        )}
        <Contents delivery={delivery} />
      </div>
      {mayWrite && state !== 'queued' && (
        <Button variant="default" size="xs" loading={again.isPending} onClick={() => again.mutate()}>
          Send again
        </Button>
      )}
    </li>
  );
}

function Contents({ delivery: { objectId, payload, answer } }: { readonly delivery: WebhookDelivery }) {
  return (
    <details className={classes.contents}>
      <summary>What was sent and answered</summary>
      <dl>
        <dt>webhook-id</dt>
        <dd className="mono">{objectId}</dd>
        <dt>Sent</dt>
        <dd>
          <pre className={classes.text}>{JSON.stringify(payload, null, 2)}</pre>
        </dd>
        <dt>Answered</dt>
        <dd>{answer ? <pre className={classes.text}>{answer}</pre> : 'Nothing.'}</dd>
      </dl>
    </details>
  );
}
