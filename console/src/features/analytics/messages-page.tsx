import { Button, Group, SegmentedControl, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { TriggerLink } from '../../components/names/names.tsx';
import { ActivityTabs } from '../../components/page/activity-tabs.tsx';
import { Block } from '../../components/page/block.tsx';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { download } from '../../lib/actions/download.ts';
import { useBeaconNames } from '../../lib/data/beacon-names.ts';
import { writeCsv } from '../../lib/text/csv.ts';
import { useTimes } from '../../lib/time/times.ts';
import { told } from '../../lib/words/service-words.ts';
import { inSentence, t } from '../../lib/words/words.ts';
import classes from './analytics.module.css';
import { messagesAsked, periodIn } from './asked.ts';
import { GroupsPlot, LoadPlot } from './message-plots.tsx';
import { groupCells, groupHeader, groupName, messageCsv, messageName } from './message-words.ts';
import { periodText, type Unit } from './period.ts';
import { Notes, PeriodSteps, unitChoices } from './period-steps.tsx';
import { NumberTable } from './plot/number-table.tsx';
import { useDrawingSoon } from './plot/plot.tsx';
import type { MessageNumbers, OneMessage } from './queries.ts';

const route = getRouteApi('/signed-in/apps/$appId/activity/messages');

/** What messages led to: who was reached, who opened, who did what the message was for, and what can be concluded. */
export function MessagesPage() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  useDrawingSoon();
  const navigate = route.useNavigate();
  const { zone } = useTimes(appId);
  const { today, period } = periodIn(zone, search);
  const { data: numbers, error } = useQuery(messagesAsked({ appId, period }));
  const choose = (change: object) => void navigate({ search: (search) => ({ ...search, ...change }) });
  return (
    <>
      <SectionHeader title={t('Activity')} part={t('Messages')}>
        {t('What messages led to, and whether visitors would have done it anyway. Times are in {zone}.', { zone })}
      </SectionHeader>
      <ActivityTabs appId={appId} />
      <Group mb="md" gap="sm">
        <SegmentedControl
          aria-label={t('Period')}
          data={unitChoices}
          value={period.unit}
          onChange={(value) => choose({ unit: value as Unit })}
        />
        <PeriodSteps period={period} today={today} onChange={(date) => choose({ on: date })} />
      </Group>
      <FailureNote message={error?.message} />
      {!numbers && !error && <Skeleton h={420} />}
      {numbers && <Notes numbers={numbers} />}
      {numbers && numbers.messages.length === 0 && (
        <EmptyState
          icon="bell"
          title={t('No message reached anybody for the first time in {period}', { period: periodText(period) })}
          text={t(
            'A visitor counts when a message is shown to them for the first time. Give a notification or a scenario a goal, and let some visitors get nothing, to find out whether it helps.',
          )}
        />
      )}
      {numbers && numbers.messages.length > 0 && <Numbers appId={appId} numbers={numbers} from={period.from} />}
    </>
  );
}

interface NumbersProps {
  readonly appId: string;
  readonly numbers: MessageNumbers;
  readonly from: string;
}

function Numbers({ appId, numbers, from }: NumbersProps) {
  const { messages, load } = numbers;
  const tried = messages.filter(({ goal, groups }) => goal !== null || groups.length > 1);
  return (
    <>
      {tried.map((message) => (
        <Tried key={message.triggerId} appId={appId} message={message} from={from} />
      ))}
      <All messages={messages} from={from} />
      {load !== null && load.length > 0 && (
        <Block
          title={t('Messages per visitor')}
          about={t(
            'How many messages visitors were shown in the period. Many for few people is a sign that it is too much.',
          )}
        >
          <LoadPlot load={load} from={from} />
        </Block>
      )}
    </>
  );
}

function Tried({
  appId,
  message,
  from,
}: {
  readonly appId: string;
  readonly message: OneMessage;
  readonly from: string;
}) {
  const { triggerId, kind, comparisons, goal } = message;
  return (
    <Block
      title={messageName(message)}
      about={goal ? <GoalText appId={appId} goal={goal} /> : t('It has no goal yet.')}
    >
      {comparisons.map(({ group, against, text, isClear }) => (
        <Text key={`${group} ${against}`} mb="sm" maw="46rem" fw={isClear ? 600 : 400}>
          {told(text)}
        </Text>
      ))}
      {goal && comparisons.length === 0 && (
        <Text mb="sm" maw="46rem" c="dimmed">
          {t('Nobody can say whether visitors would have done it anyway: let some of them get nothing, to compare.')}
        </Text>
      )}
      <GroupsPlot message={message} from={from} />
      {kind !== null && (
        <Text size="sm" mt="xs">
          <TriggerLink appId={appId} triggerId={triggerId} />
        </Text>
      )}
    </Block>
  );
}

const places = { beaconId: t('the beacon'), zoneId: t('the zone'), venueId: t('the venue') } as const;

function GoalText({ appId, goal }: { readonly appId: string; readonly goal: NonNullable<OneMessage['goal']> }) {
  const { kind, beaconId, event, bucket, withinHours } = goal;
  const names = useBeaconNames(appId, beaconId ? [beaconId] : []);
  const place = (Object.keys(places) as (keyof typeof places)[]).find((name) => goal[name] !== undefined);
  const where = beaconId ? `${places.beaconId} ${names(beaconId) ?? '…'}` : place ? places[place] : t('any beacon');
  const what = {
    visit: t('a later visit at {where}', { where }),
    event: t('{event} at {where}', { event, where }),
    record: t('a record in {bucket}', { bucket }),
  }[kind];
  return (
    <>
      {t('Its goal: {what} within {withinHours, plural, one {# hour} other {# hours}}.', {
        what,
        withinHours,
      })}
    </>
  );
}

function All({ messages, from }: { readonly messages: readonly OneMessage[]; readonly from: string }) {
  const rows = messages.flatMap((message) =>
    message.groups.map((group) => [
      message.groups.length > 1 || group.group !== ''
        ? `${messageName(message)} · ${inSentence(groupName(group.group))}`
        : messageName(message),
      ...groupCells(group),
    ]),
  );
  return (
    <Block
      title={t('All messages')}
      about={t(
        'Visitors who were shown a message for the first time in the period, the messages, and what became of them. Opened is what the app reports.',
      )}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached with the keyboard */}
      <section className={classes.scroller} tabIndex={0} aria-label={t('All messages: numbers')}>
        <NumberTable label={t('All messages')} table={{ header: [t('Message'), ...groupHeader], rows }} />
      </section>
      <Group justify="flex-end" mt="sm">
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="download" size={14} />}
          aria-label={t('All messages: save as CSV')}
          onClick={() => download(`messages-${from}.csv`, 'text/csv', [writeCsv(messageCsv(messages))])}
        >
          {t('CSV')}
        </Button>
      </Group>
    </Block>
  );
}
