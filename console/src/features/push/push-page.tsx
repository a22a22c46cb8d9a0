import { Alert, Button, Group, Text, UnstyledButton } from '@mantine/core';
import { entityTag, operations } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { JsonBlock } from '../../components/code/code-block.tsx';
import { Block, LinkButton } from '../../components/page/blocks.tsx';
import { Fact, Facts, TimeFact } from '../../components/page/facts.tsx';
import { RecordPage } from '../../components/page/page-header.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMayCall } from '../../lib/data/access.ts';
import { dataKey, dataOf } from '../../lib/data/api.ts';
import { pushName } from '../../lib/data/names.ts';
import { languageName } from '../../lib/text/languages.ts';
import { useTimes } from '../../lib/time/times.ts';
import { pageLanguage, rich, t, translated } from '../../lib/words/words.ts';
import { CalledOff, Cancel } from './cancel.tsx';
import { Deliveries } from './deliveries.tsx';
import classes from './push.module.css';
import { PushStateBadge } from './push-list.tsx';
import { canGoOn, deliveryStates, isUnderWay, type PushDetail, waitsForApproval } from './push-states.ts';
import { pushQuery } from './queries.ts';
import { StateBar, StateLegend } from './state-bar.tsx';

const route = getRouteApi('/signed-in/apps/$appId/push/$pushId');

export function PushPage() {
  const { appId, pushId } = route.useParams();
  const query = useQuery({
    ...pushQuery(appId, pushId),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? 1_000 : false),
  });
  const mayCall = useMayCall();
  return (
    <RecordPage
      query={query}
      title={(push) => (push ? pushName(push) : t('Push message'))}
      all={{ label: t('All push messages'), to: '/apps/$appId/push', params: { appId } }}
      action={(push) => mayCall('cancelPush') && <Actions appId={appId} push={push} />}
      height={300}
    >
      {(push) => (
        <>
          <PushOutcome appId={appId} push={push} />
          <Message appId={appId} push={push} />
          {mayCall('listDeliveries') && <Deliveries appId={appId} pushId={pushId} isLive={isUnderWay(push)} />}
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
  if (waitsForApproval(push)) return <Waiting appId={appId} push={push} />;
  if (canGoOn(push)) return <CalledOff appId={appId} push={push} />;
  if (push.state === 'accepted' && sendAt)
    return (
      <Block title={t('Outcome')}>
        <PushStateBadge {...push} />
        <p className={classes.live}>
          {t(
            'It will be sent on {minute} to everyone who matches at that time. Until then it can be changed and cancelled.',
            { minute: times.minute(sendAt) },
          )}
        </p>
      </Block>
    );
  return (
    <Block title={t('Outcome')}>
      <PushStateBadge {...push} />
      <p className={classes.live}>
        {rich(
          '<b>{audience, number}</b> {audience, plural, one {recipient} other {recipients}}{hasReceived, select, true {: {received, number} reported it as received, {opened, number} as opened} other {}}',
          { audience, received, opened, hasReceived: received + opened > 0 },
        )}
      </p>
      {push.state === 'done' && push.sent === 0 && (
        <Alert color="red">
          {audience === 0 ? t('Nobody matched when it was sent.') : t('No phone was reached. The reasons are below.')}
        </Alert>
      )}
      {push.problem && <Alert color="red">{translated(push.problem)}</Alert>}
      <StateBar counts={push} isLarge />
      <StateLegend
        counts={push}
        chosen={search.state}
        onChoose={(state) => void navigate({ search: state ? { state } : {}, replace: true })}
      />
      {reasons.length > 0 && (
        <ul className={classes.reasons} aria-label={t('Reasons')}>
          {reasons.map(({ state, reason, count }) => (
            <li key={`${state} ${reason}`}>
              <UnstyledButton
                className={classes.reason}
                onClick={() => void navigate({ search: { state, reason }, replace: true })}
              >
                <b>{count.toLocaleString(pageLanguage())}</b>
                <span>
                  {deliveryStates[state].label}: {translated(reason)}
                </span>
              </UnstyledButton>
            </li>
          ))}
        </ul>
      )}
    </Block>
  );
}

const shownMembers = {
  title: t('Title'),
  alert: t('Text'),
  uri: t('Link'),
  image: t('Picture'),
  badge: t('Number'),
  sound: t('Sound'),
};

/** Nothing is sent until a second person has read it. */
function Waiting({ appId, push }: Props) {
  const times = useTimes(appId);
  const mayApprove = useMayCall()('approvePush');
  const { sendAt, expiresAt, approval } = push;
  const approve = useAction({
    run: () =>
      dataOf(appId).call(operations.approvePush, { params: { objectId: push.objectId }, ifMatch: entityTag(push) }),
    done: sendAt ? t('It is approved and goes out at its time.') : t('It is approved and is being sent.'),
    refresh: [dataKey(appId, 'getPush'), dataKey(appId, 'listPushes')],
    showsError: true,
  });
  return (
    <Block title={t('Outcome')}>
      <PushStateBadge {...push} />
      <p className={classes.live}>
        {t(
          'It goes to more than {above, number} phones, so somebody who has not written it has to read and approve it. {hasSendAt, select, true {It would then be sent on {minute}. } other {}}{hasExpiresAt, select, true {Without approval it expires on {expires}.} other {}}',
          {
            above: approval?.above ?? 0,
            minute: sendAt && times.minute(sendAt),
            hasSendAt: Boolean(sendAt),
            expires: expiresAt && times.minute(expiresAt),
            hasExpiresAt: Boolean(expiresAt),
          },
        )}
      </p>
      {approve.error && <Alert color="red">{approve.error.message}</Alert>}
      {mayApprove && (
        <Group>
          <Button variant="filled" loading={approve.isPending} onClick={() => approve.mutate()}>
            {t('Approve it')}
          </Button>
        </Group>
      )}
    </Block>
  );
}

const isLong = (label: string) => [t('Text'), t('Link'), t('Picture')].includes(label) || label.startsWith('In ');

/** What a translation says, in one line. */
const wordsIn = (words: object) =>
  Object.values(words)
    .filter((text) => typeof text === 'string' && text !== '')
    .join(' · ');

function Message({ appId, push }: Props) {
  const times = useTimes(appId);
  const { data, where, sendAt, expiresAt, createdAt, language, translations = {} } = push;
  const others = Object.entries(data).filter(([name]) => !(name in shownMembers));
  const facts: readonly (readonly [label: string, text: string | undefined, isTime?: true])[] = [
    ...Object.entries(shownMembers).map(
      ([name, label]) => [label, data[name] === undefined ? undefined : String(data[name])] as const,
    ),
    [t('Language'), language && languageName(language)],
    ...Object.entries(translations).map(
      ([tag, words]) => [t('In {languageName}', { languageName: languageName(tag) }), wordsIn(words)] as const,
    ),
    [t('Written'), times.dateTime(createdAt), true],
    [t('Scheduled for'), sendAt && times.dateTime(sendAt), true],
    [t('Expires at'), expiresAt && times.dateTime(expiresAt), true],
    [t('Approved by'), push.approval?.state === 'approved' ? push.approval.by : undefined],
    [t('Goes to'), where ? undefined : t('Everyone')],
  ];
  return (
    <Block title={t('The message')} about={t('Times are in {zone}.', { zone: times.zone })}>
      <Facts>
        {facts
          .filter(([, text]) => text !== undefined)
          .map(([label, text, isTime]) =>
            isTime ? (
              <TimeFact key={label} label={label}>
                {text}
              </TimeFact>
            ) : (
              <Fact key={label} label={label} isWide={isLong(label)}>
                {text}
              </Fact>
            ),
          )}
      </Facts>
      {where && (
        <>
          <Text c="dimmed" mt="md">
            {t('Sent to everyone who matches')}
          </Text>
          <JsonBlock value={where} />
        </>
      )}
      {others.length > 0 && (
        <>
          <Text c="dimmed" mt="md">
            {t('Additional data')}
          </Text>
          <JsonBlock value={Object.fromEntries(others)} />
        </>
      )}
    </Block>
  );
}

function Actions({ appId, push }: Props) {
  const { objectId, state, sendAt } = push;
  return (
    <Group gap="xs">
      {isUnderWay(push) && <Cancel appId={appId} push={push} />}
      <LinkButton to="/apps/$appId/push/new" params={{ appId }} search={{ from: objectId }} icon="copy" isPlain>
        {t('Duplicate')}
      </LinkButton>
      {state === 'accepted' && (sendAt || waitsForApproval(push)) && (
        <LinkButton to="/apps/$appId/push/$pushId/edit" params={{ appId, pushId: objectId }} icon="edit">
          {t('Edit')}
        </LinkButton>
      )}
    </Group>
  );
}
