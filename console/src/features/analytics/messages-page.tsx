import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { TriggerLink } from '../../components/names/names.tsx';
import { Block, EmptyState, Loading } from '../../components/page/blocks.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { useBeaconNames } from '../../lib/data/beacon-names.ts';
import { inSentence, t, translated } from '../../lib/words/words.ts';
import { messagesAsked } from './asked.ts';
import { comparedText, QuestionBar, useQuestion } from './head.tsx';
import { GroupsPlot, LoadPlot } from './message-plots.tsx';
import { comparedCell, groupCells, groupHeader, groupName, messageCsv, messageName } from './message-words.ts';
import { comparedIn, type Period, periodText, placeOf } from './period.ts';
import { Notes } from './period-steps.tsx';
import { csvOfPeriods } from './plot/csv.ts';
import { CsvButton } from './plot/csv-button.tsx';
import { NumberTable } from './plot/number-table.tsx';
import { useDrawingSoon } from './plot/plot.tsx';
import type { MessageNumbers, OneMessage } from './queries.ts';

const route = getRouteApi('/signed-in/apps/$appId/activity/messages');

/** What messages led to: who was reached, who opened, who did what the message was for, and what can be concluded. */
export function MessagesPage() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  useDrawingSoon();
  const question = useQuestion(appId, '/apps/$appId/activity/messages', search);
  const { zone, period } = question;
  const { data: numbers, error } = useQuery(messagesAsked({ appId, period, search }));
  const compared = comparedIn(search, period);
  const { data: past } = useQuery({
    ...messagesAsked({ appId, period: compared ?? period, search }),
    enabled: compared !== undefined,
  });
  const before = compared && { period: compared, messages: past?.messages };
  const isOfPlace = Object.keys(placeOf(search)).length > 0;
  return (
    <>
      <PageHeader title={t('Effects of messages')}>
        {t('What messages led to, and whether visitors would have done it anyway. Times are in {zone}.', { zone })}
      </PageHeader>
      <QuestionBar appId={appId} search={search} question={question} isPlain />
      {isOfPlace && (
        <Text c="dimmed" mb="md" maw="42rem">
          {t(
            'Messages that were first shown at this place, or would have been to those who got nothing; what visitors did after them may have been anywhere. How many messages visitors were shown is told of the whole app only, since they may have seen them at several places.',
          )}
        </Text>
      )}
      <Loading data={numbers} error={error} height={420} />
      {numbers && <Notes numbers={numbers} />}
      {numbers && numbers.messages.length === 0 && (
        <EmptyState
          icon="bell"
          title={t('No message reached anybody for the first time in {period}', { period: periodText(period) })}
          text={t(
            'A visitor counts when a message is shown to them for the first time. Give a message a goal, and let some visitors get nothing, to find out whether it helps.',
          )}
        />
      )}
      {numbers && numbers.messages.length > 0 && (
        <Numbers appId={appId} numbers={numbers} before={before} period={period} />
      )}
    </>
  );
}

interface NumbersProps {
  readonly appId: string;
  readonly numbers: MessageNumbers;
  readonly before: Before | undefined;
  readonly period: Period;
}

/** Another period. */
interface Before {
  readonly period: Period;
  /** Undefined until they are known. */
  readonly messages: readonly OneMessage[] | undefined;
}

function Numbers({ appId, numbers, before, period }: NumbersProps) {
  const { messages, load } = numbers;
  const tried = messages.filter(({ goal, groups }) => goal !== null || groups.length > 1);
  return (
    <>
      {tried.map((message) => (
        <Tried key={message.triggerId} appId={appId} message={message} period={period} />
      ))}
      <All messages={messages} before={before} period={period} />
      {load !== null && load.length > 0 && (
        <Block
          title={t('Messages per visitor')}
          about={t(
            'How many messages visitors were shown in the period. Many for few people is a sign that it is too much.',
          )}
        >
          <LoadPlot load={load} period={period} />
        </Block>
      )}
    </>
  );
}

function Tried({
  appId,
  message,
  period,
}: {
  readonly appId: string;
  readonly message: OneMessage;
  readonly period: Period;
}) {
  const { triggerId, kind, comparisons, goal } = message;
  return (
    <Block
      title={messageName(message)}
      about={goal ? <GoalText appId={appId} goal={goal} /> : t('It has no goal yet.')}
    >
      {comparisons.map(({ group, against, text, isClear }) => (
        <Text size="md" key={`${group} ${against}`} mb="sm" maw="46rem" fw={isClear ? 600 : 400}>
          {translated(text)}
        </Text>
      ))}
      {goal && comparisons.length === 0 && (
        <Text size="md" mb="sm" maw="46rem" c="dimmed">
          {t('Nobody can say whether visitors would have done it anyway: let some of them get nothing, to compare.')}
        </Text>
      )}
      <GroupsPlot message={message} period={period} />
      {kind !== null && (
        <Text mt="xs" component="div">
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

interface AllProps extends Pick<NumbersProps, 'before' | 'period'> {
  readonly messages: readonly OneMessage[];
}

function All({ messages, before, period }: AllProps) {
  const groupsBefore = new Map(
    before?.messages?.flatMap(({ triggerId, groups }) => groups.map((one) => [`${triggerId} ${one.group}`, one])),
  );
  const rows = messages.flatMap((message) =>
    message.groups.map((group) => [
      message.groups.length > 1 || group.group !== ''
        ? `${messageName(message)} · ${inSentence(groupName(group.group))}`
        : messageName(message),
      ...groupCells(group),
      ...(before ? [comparedCell(groupsBefore.get(`${message.triggerId} ${group.group}`))] : []),
    ]),
  );
  const header = [t('Message'), ...groupHeader, ...(before ? [comparedText(before.period)] : [])];
  return (
    <Block
      title={t('All messages')}
      about={t(
        'Visitors who were shown a message for the first time in the period, the messages, and what became of them. Opened is what the app reports.',
      )}
    >
      <NumberTable label={t('All messages')} around={t('All messages: numbers')} table={{ header, rows }} />
      <CsvButton
        label={t('All messages')}
        fileName={`messages-${period.from}`}
        rows={() =>
          csvOfPeriods(
            { period, rows: messageCsv(messages) },
            before && { period: before.period, rows: before.messages && messageCsv(before.messages) },
          )
        }
      />
    </Block>
  );
}
