import { Alert, Button, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { dataKey } from '../../components/list/record-list.tsx';
import { Block } from '../../components/page/block.tsx';
import { Fact, Facts } from '../../components/page/facts.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import names from '../../components/page/names.module.css';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { useTimes } from '../../lib/time/times.ts';
import { Deliveries } from './deliveries.tsx';
import classes from './push.module.css';
import { PushStateBadge } from './push-list.tsx';
import { deliveryStates, isUnderWay, nameOf, type PushDetail } from './push-states.ts';
import { StateBar, StateLegend } from './state-bar.tsx';

const route = getRouteApi('/signed-in/apps/$appId/push/$pushId');

export function PushPage() {
  const { appId, pushId } = route.useParams();
  const { data: push, error } = useQuery({
    queryKey: dataKey(appId, 'getPush', pushId),
    queryFn: async () => (await dataOf(appId).call('getPush', { params: { objectId: pushId } })).result as PushDetail,
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? 1_000 : false),
  });
  const mayCancel = useMayCall()('cancelPush');
  return (
    <>
      <SectionHeader
        title={push ? nameOf(push) : 'Push message'}
        action={push && mayCancel && isUnderWay(push) && <Cancel appId={appId} push={push} />}
      >
        <Link to="/apps/$appId/push" params={{ appId }} className={names.link}>
          All push messages
        </Link>
      </SectionHeader>
      <FailureNote message={error?.message} />
      {!push && !error && <Skeleton h={300} />}
      {push && <Outcome appId={appId} push={push} />}
      {push && <Message appId={appId} push={push} />}
      {push && <Deliveries appId={appId} pushId={pushId} isLive={isUnderWay(push)} />}
    </>
  );
}

interface Props {
  readonly appId: string;
  readonly push: PushDetail;
}

function Outcome({ appId, push }: Props) {
  const times = useTimes(appId);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { audience, received, opened, reasons, sendAt } = push;
  if (push.state === 'accepted' && sendAt)
    return (
      <Block title="What became of it">
        <PushStateBadge state={push.state} />
        <p className={classes.live}>
          It is sent on {times.minute(sendAt)}, to those who match then. Until then it can be cancelled.
        </p>
      </Block>
    );
  return (
    <Block title="What became of it">
      <PushStateBadge state={push.state} />
      <p className={classes.live}>
        <b>{audience.toLocaleString('en')}</b> {audience === 1 ? 'recipient' : 'recipients'}
        {received + opened > 0 &&
          `, of whom ${received.toLocaleString('en')} reported that it came and ${opened.toLocaleString('en')} that it was opened`}
      </p>
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
    ['Not after', expiresAt && times.dateTime(expiresAt), true],
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
            To those who match
          </Text>
          <pre className={classes.json}>{JSON.stringify(where, null, 2)}</pre>
        </>
      )}
      {others.length > 0 && (
        <>
          <Text size="sm" c="dimmed" mt="md">
            Further data
          </Text>
          <pre className={classes.json}>{JSON.stringify(Object.fromEntries(others), null, 2)}</pre>
        </>
      )}
    </Block>
  );
}

function Cancel({ appId, push }: Props) {
  const [isOpen, setOpen] = useState(false);
  const cancel = useAction({
    run: () => dataOf(appId).call('cancelPush', { params: { objectId: push.objectId } }),
    done: 'It is cancelled.',
    refresh: [dataKey(appId, 'getPush'), dataKey(appId, 'listPushes'), dataKey(appId, 'listDeliveries')],
    showsError: true,
    after: () => setOpen(false),
  });
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Cancel it
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="Cancel the push message"
        confirm="Stop sending it"
        isBusy={cancel.isPending}
        failure={cancel.error?.message}
        onConfirm={() => cancel.mutate()}
      >
        Nobody who still waits receives <b>{nameOf(push)}</b>. What is on its way at this moment may arrive, and it
        cannot be taken up again.
      </ConfirmDialog>
    </>
  );
}
