import { Alert, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { JsonBlock } from '../../components/code/code-block.tsx';
import { ConfirmedAction } from '../../components/dialogs/confirmed-action.tsx';
import { Block } from '../../components/page/block.tsx';
import { Fact, Facts } from '../../components/page/facts.tsx';
import { RecordPage } from '../../components/page/record-page.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { dataKey } from '../../lib/data/listed.ts';
import { useTimes } from '../../lib/time/times.ts';
import { Deliveries } from './deliveries.tsx';
import classes from './push.module.css';
import { PushStateBadge } from './push-list.tsx';
import { deliveryStates, isUnderWay, type PushDetail, pushName } from './push-states.ts';
import { StateBar, StateLegend } from './state-bar.tsx';

const route = getRouteApi('/signed-in/apps/$appId/push/$pushId');

export function PushPage() {
  const { appId, pushId } = route.useParams();
  const query = useQuery({
    queryKey: dataKey(appId, 'getPush', pushId),
    queryFn: async () => (await dataOf(appId).call('getPush', { params: { objectId: pushId } })).result as PushDetail,
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? 1_000 : false),
  });
  const mayCancel = useMayCall()('cancelPush');
  return (
    <RecordPage
      query={query}
      title={(push) => (push ? pushName(push) : 'Push message')}
      all={{ label: 'All push messages', to: '/apps/$appId/push', params: { appId } }}
      action={(push) => mayCancel && isUnderWay(push) && <Cancel appId={appId} push={push} />}
      height={300}
    >
      {(push) => (
        <>
          <PushOutcome appId={appId} push={push} />
          <Message appId={appId} push={push} />
          <Deliveries appId={appId} pushId={pushId} isLive={isUnderWay(push)} />
        </>
      )}
    </RecordPage>
  );
}

interface Props {
  readonly appId: string;
  readonly push: PushDetail;
}

function PushOutcome({ appId, push }: Props) {
  const times = useTimes(appId);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { audience, received, opened, reasons, sendAt } = push;
  if (push.state === 'accepted' && sendAt)
    return (
      <Block title="Outcome">
        <PushStateBadge {...push} />
        <p className={classes.live}>
          It will be sent on {times.minute(sendAt)} to everyone who matches at that time. Until then it can be
          cancelled.
        </p>
      </Block>
    );
  return (
    <Block title="Outcome">
      <PushStateBadge {...push} />
      <p className={classes.live}>
        <b>{audience.toLocaleString('en')}</b> {audience === 1 ? 'recipient' : 'recipients'}
        {received + opened > 0 &&
          `: ${received.toLocaleString('en')} reported it as received, ${opened.toLocaleString('en')} as opened`}
      </p>
      {push.state === 'done' && push.sent === 0 && (
        <Alert color="red">
          {audience === 0 ? 'Nobody matched when it was sent.' : 'No phone was reached. The reasons are below.'}
        </Alert>
      )}
      {push.problem && <Alert color="red">{push.problem}</Alert>}
      <StateBar counts={push} isLarge />
      <StateLegend
        counts={push}
        chosen={search.state}
        onChoose={(state) => void navigate({ search: state ? { state } : {}, replace: true })}
      />
      {reasons.length > 0 && (
        <ul className={classes.reasons} aria-label="Reasons">
          {reasons.map(({ state, reason, count }) => (
            <li key={`${state} ${reason}`}>
              <button
                type="button"
                className={classes.reason}
                onClick={() => void navigate({ search: { state, reason }, replace: true })}
              >
                <b>{count.toLocaleString('en')}</b>
                <span>
                  {deliveryStates[state].label}: {reason}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </Block>
  );
}

const shownMembers = { title: 'Title', alert: 'Text', uri: 'Link', image: 'Picture', badge: 'Number', sound: 'Sound' };

function Message({ appId, push }: Props) {
  const times = useTimes(appId);
  const { data, where, sendAt, expiresAt, createdAt } = push;
  const others = Object.entries(data).filter(([name]) => !(name in shownMembers));
  const facts: readonly (readonly [label: string, text: string | undefined, isTime?: true])[] = [
    ...Object.entries(shownMembers).map(
      ([name, label]) => [label, data[name] === undefined ? undefined : String(data[name])] as const,
    ),
    ['Written', times.dateTime(createdAt), true],
    ['Scheduled for', sendAt && times.dateTime(sendAt), true],
    ['Expires at', expiresAt && times.dateTime(expiresAt), true],
    ['To', where ? undefined : 'Everyone'],
  ];
  return (
    <Block title="The message" about={`Times are in ${times.zone}.`}>
      <Facts>
        {facts
          .filter(([, text]) => text !== undefined)
          .map(([label, text, isTime]) => (
            <Fact
              key={label}
              label={label}
              isWide={label === 'Text' || label === 'Link' || label === 'Picture'}
              isTime={isTime ?? false}
            >
              {text}
            </Fact>
          ))}
      </Facts>
      {where && (
        <>
          <Text size="sm" c="dimmed" mt="md">
            Sent to everyone who matches
          </Text>
          <JsonBlock value={where} />
        </>
      )}
      {others.length > 0 && (
        <>
          <Text size="sm" c="dimmed" mt="md">
            Additional data
          </Text>
          <JsonBlock value={Object.fromEntries(others)} />
        </>
      )}
    </Block>
  );
}

function Cancel({ appId, push }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Cancel the message
      </Button>
      <ConfirmedAction
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="Cancel the push message"
        confirm="Stop sending"
        run={() => dataOf(appId).call('cancelPush', { params: { objectId: push.objectId } })}
        done="The push message was cancelled."
        refresh={[dataKey(appId, 'getPush'), dataKey(appId, 'listPushes'), dataKey(appId, 'listDeliveries')]}
      >
        <b>{pushName(push)}</b> is not sent to anyone who is still waiting for it. Messages that are being sent right
        now may still arrive. Sending cannot be resumed.
      </ConfirmedAction>
    </>
  );
}
