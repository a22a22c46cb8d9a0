import { Badge, Box, Button, Group, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core';
import { operations } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { BeaconSelect } from '../../components/form/beacon-select.tsx';
import { Form } from '../../components/form/form.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import { BeaconLink, TriggerLink } from '../../components/names/names.tsx';
import { Block, EmptyState, FailureNote, LinkButton } from '../../components/page/blocks.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMayCall } from '../../lib/data/access.ts';
import { dataKey, dataOf } from '../../lib/data/api.ts';
import { eventWords, verdictReason } from '../../lib/text/event-words.ts';
import { type Times, useTimes } from '../../lib/time/times.ts';
import { wallTime } from '../../lib/time/zoned-time.ts';
import { t } from '../../lib/words/words.ts';
import classes from './activity.module.css';
import { VisitorPicker } from './visitor-picker.tsx';
import { type Rehearsal, verdictsOf, type WalkFields, walkBody } from './what-if.ts';
import { messageKinds, outcomeColors, outcomeWords } from './words.ts';

const route = getRouteApi('/signed-in/apps/$appId/activity/what-if');

/** Asks the service what a visitor would be shown; nothing is stored and nothing is sent. */
export function WhatIfPage() {
  const { appId } = route.useParams();
  const { beacon } = route.useSearch();
  const times = useTimes(appId);
  const mayAdd = useMayCall()('createBeacon');
  const { data: beacons } = useQuery({
    queryKey: dataKey(appId, 'listBeacons', 'any'),
    queryFn: () => dataOf(appId).beacons.list({ limit: 1 }),
  });
  return (
    <>
      <PageHeader title={t('What would happen if')}>
        {t(
          'Let a visitor walk past your beacons and read what would be shown, and why something would not. Nothing is sent and nothing is recorded.',
        )}
      </PageHeader>
      {beacons?.results.length === 0 ? (
        <EmptyState
          icon="beacon"
          title={t('No beacons yet')}
          text={
            mayAdd
              ? t('A visitor walks past beacons. Add the first one.')
              : t('Owners, managers and installers add beacons.')
          }
          action={
            mayAdd && (
              <LinkButton icon="plus" to="/apps/$appId/beacons/new" params={{ appId }}>
                {t('Add a beacon')}
              </LinkButton>
            )
          }
        />
      ) : (
        // The day that the form proposes depends on the zone.
        <Walk key={times.zone} appId={appId} times={times} beacon={beacon} />
      )}
    </>
  );
}

interface WalkProps {
  readonly appId: string;
  readonly times: Times;
  readonly beacon: string | undefined;
}

function Walk({ appId, times, beacon }: WalkProps) {
  const fields = useFields<WalkFields>({
    visitor: '',
    beacons: beacon ? [beacon] : [],
    when: wallTime(Date.now(), times.zone).slice(0, 16),
    minutes: 5,
    canBeReached: true,
  });
  const ask = useAction({
    run: async () =>
      (await dataOf(appId).call(operations.simulateSightings, { body: walkBody(fields.values, times.zone) })).result,
    showsError: true,
  });
  function submit() {
    fields.setFailure(null);
    const { beacons, when, minutes } = fields.values;
    const problems = [
      ...(beacons.length === 0 ? [{ field: 'beacons', problem: t('choose at least one') }] : []),
      ...(when === '' ? [{ field: 'when', problem: t('choose a day and a time') }] : []),
      ...(Number(minutes) >= 1 ? [] : [{ field: 'minutes', problem: t('must be at least one minute') }]),
    ];
    if (problems.length > 0) fields.setProblems(problems);
    else ask.mutate(undefined, { onError: fields.setFailure });
  }
  return (
    <>
      <Block title={t('The walk')}>
        <Form onSubmit={submit}>
          <Stack gap="md" maw={560}>
            <FailureNote message={fields.rest([])} />
            <VisitorPicker
              appId={appId}
              label={t('Visitor')}
              description={t('Somebody who was never here, or a phone with its visits and what it has been shown')}
              placeholder={t('Somebody who was never here')}
              value={fields.values.visitor || undefined}
              onChange={(chosen) => fields.set('visitor', chosen ?? '')}
            />
            <BeaconSelect
              appId={appId}
              many
              label={t('Beacons, in the order of the walk')}
              value={fields.values.beacons}
              error={fields.problem('beacons')}
              onChange={(beacons) => fields.set('beacons', beacons)}
            />
            <TextInput
              label={t('Day and time')}
              description={t('In {zone}', { zone: times.zone })}
              type="datetime-local"
              {...fields.text('when')}
            />
            <NumberInput
              label={t('Minutes at each')}
              description={t('A minute lies between two')}
              min={1}
              max={720}
              {...fields.number('minutes')}
            />
            <Switch label={t('The phone can be sent a push')} {...fields.checked('canBeReached')} />
            <Group>
              <Button variant="filled" type="submit" loading={ask.isPending}>
                {t('Show what would happen')}
              </Button>
            </Group>
          </Stack>
        </Form>
      </Block>
      {ask.data && <Outcome appId={appId} rehearsal={ask.data} times={times} />}
    </>
  );
}

interface OutcomeProps {
  readonly appId: string;
  readonly rehearsal: Rehearsal;
  readonly times: Times;
}

function Outcome({ appId, rehearsal, times }: OutcomeProps) {
  const { events, problems } = rehearsal;
  const shown = rehearsal.verdicts.filter(({ outcome }) => outcome === 'fired').length;
  const about =
    shown === 0
      ? t('No message would be shown.')
      : t('{shown, plural, one {1 message} other {{shown} messages}} would be shown.', { shown });
  return (
    <Block title={t('What would happen')} about={t('{about} Times are in {zone}.', { about, zone: times.zone })}>
      <div role="status">
        {problems.map(({ index, message }) => (
          <FailureNote key={index} message={message} />
        ))}
        {events.length === 0 && <Text>{t('Nothing: the visitor would not be noticed.')}</Text>}
        {events.map((event) => (
          <section key={event.objectId} className={classes.step} aria-label={eventWords[event.event]}>
            <h3>
              {eventWords[event.event]} <BeaconLink appId={appId} beaconId={event.beaconId.objectId} />{' '}
              <Box component="span" c="dimmed" fw={400} fz="0.88rem">
                {times.dateTime(event.occurredAt)}
              </Box>
            </h3>
            <Verdicts appId={appId} verdicts={verdictsOf(rehearsal, event.objectId)} times={times} />
          </section>
        ))}
      </div>
    </Block>
  );
}

interface VerdictsProps {
  readonly appId: string;
  readonly verdicts: ReturnType<typeof verdictsOf>;
  readonly times: Times;
}

function Verdicts({ appId, verdicts, times }: VerdictsProps) {
  if (verdicts.length === 0) return <Text c="dimmed">{t('No message is meant for this.')}</Text>;
  return (
    <ul className={`bare ${classes.verdicts}`}>
      {verdicts.map(({ triggerId, kind, outcome, text, dueAt }) => (
        <li key={triggerId}>
          <Badge color={outcomeColors[outcome]}>
            {outcome === 'fired' ? t('Would be shown') : outcomeWords[outcome]}
          </Badge>
          <div>
            <div className={classes.verdictHead}>
              <TriggerLink appId={appId} triggerId={triggerId} />
              <Box component="span" c="dimmed" fw={400} fz="0.88rem">
                {messageKinds[kind]}
              </Box>
            </div>
            {outcome !== 'fired' && (
              <Box component="p" mt="0.15rem" mb={0}>
                {verdictReason(text)}
              </Box>
            )}
            {outcome === 'pending' && dueAt && (
              <Box component="p" mt="0.35rem" mb={0} fz="0.9rem" c="dimmed">
                {t('Decided at {dateTime}.', { dateTime: times.dateTime(dueAt) })}
              </Box>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}
