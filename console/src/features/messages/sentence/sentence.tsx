import { Box } from '@mantine/core';
import type { Beacon } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Fields } from '../../../components/form/use-fields.ts';
import { spanText } from '../../../components/rules/rule-words.ts';
import { appRules, type EventKind, effectiveRules } from '../../../components/rules/rules.ts';
import { useMayCall } from '../../../lib/data/access.ts';
import { dataKey, dataOf } from '../../../lib/data/api.ts';
import { useBeaconNames } from '../../../lib/data/beacon-names.ts';
import { appQuery } from '../../../lib/data/queries.ts';
import { floorsQuery, venueBeaconsQuery, venueNamesQuery, zonesQuery } from '../../../lib/data/venue-queries.ts';
import { timesIn, useTimes } from '../../../lib/time/times.ts';
import { rich, t } from '../../../lib/words/words.ts';
import type { MessageFields } from '../message.ts';
import { DaysEditor, EventEditor, HoursEditor, OftenEditor, OtherRulesEditor, PeriodEditor } from './editors.tsx';
import { Part } from './part.tsx';
import { partsOf } from './parts.ts';
import { PlaceEditor } from './place-editor.tsx';
import classes from './sentence.module.css';

interface Props {
  readonly appId: string;
  readonly form: Fields<MessageFields>;
  readonly isLocked: boolean;
}

/** Where and when a message is shown, as one sentence whose parts are edited in place. */
export function Sentence({ appId, form, isLocked }: Props) {
  const { data: app } = useQuery(appQuery(appId));
  const appTimes = useTimes(appId);
  const hasDays = useMayCall()('createStoryline');
  const { values } = form;
  const names = useBeaconNames(appId, values.beacons);
  const place = usePlace(appId, values.beacons);
  const rules = appRules(app?.policy);
  const { timeZone, dwellSeconds } = effectiveRules(rules, values.delivery);
  const times = timeZone ? timesIn(timeZone) : appTimes;
  const parts = partsOf(values, { app: rules, times, names, place });
  const editing = { form, app: rules, times };
  const part = (name: string, editor: ReactNode, fields: readonly string[]) =>
    function SentencePart(inner: ReactNode) {
      const isWrong = fields.some((field) => form.problemWithin(field) !== undefined);
      return (
        <Part name={name} editor={editor} isLocked={isLocked} isWrong={isWrong}>
          {inner}
        </Part>
      );
    };
  const other = part(t('Pause and upper limit'), <OtherRulesEditor {...editing} />, [
    'delivery.caps',
    'delivery.coolDown',
    'delivery.timeZone',
  ]);
  const stay = dwellSeconds ?? 0;
  return (
    <section className={classes.box} aria-label={t('Where and when')}>
      <p className={classes.sentence} data-testid="sentence">
        {rich(
          '{kind, select, ENTER {When a visitor <event>enters</event> <place>{places}</place>} EXIT {When a visitor <event>leaves</event> <place>{places}</place>} IMMEDIATE {When a visitor <event>stands right at</event> <place>{places}</place>} NEAR {When a visitor <event>comes near</event> <place>{places}</place>} other {When a visitor <event>is farther away from</event> <place>{places}</place>}}{stay}: <often>{repeats}</often>, <days>{weekdays}</days>, <hours>{clock}</hours>, <period>{dates}</period>{more}.',
          {
            kind: values.event,
            event: part(t('Event'), <EventEditor {...editing} />, ['event', 'delivery.dwellSeconds']),
            place: part(t('Place'), <PlaceEditor {...editing} appId={appId} />, ['beacons']),
            often: part(t('How often'), <OftenEditor {...editing} />, ['delivery.oncePer', 'delivery.nthVisit']),
            days: hasDays ? part(t('Days'), <DaysEditor {...editing} />, ['showOn']) : (inner) => inner,
            hours: part(t('Hours'), <HoursEditor {...editing} />, ['delivery.quietHours', 'delivery.venueHours']),
            period: part(t('Period'), <PeriodEditor {...editing} />, ['delivery.validFrom', 'delivery.validUntil']),
            stay: stay > 0 ? stayText(values.event, spanText(stay)) : '',
            places: parts.places,
            repeats: parts.often,
            weekdays: parts.days,
            clock: parts.hours,
            dates: parts.period,
            more: parts.more ? rich(', <other>{limits}</other>', { limits: parts.more, other }) : '',
          },
        )}
      </p>
      <Wrong
        form={form}
        isGone={values.beacons.length > 0 && values.beacons.every((beaconId) => names(beaconId) === null)}
      />
      <p className={classes.otherwise}>
        {rich('Otherwise as set for the app{limits}. {change}', {
          limits: parts.otherwise ? `: ${parts.otherwise}` : '',
          change: isLocked ? '' : other(t('Change it for this message')),
        })}
      </p>
    </section>
  );
}

const stayText = (event: EventKind, span: string) =>
  event === 'EXIT' ? t(' after a stay of {span} or more', { span }) : t(' and stays {span}', { span });

const shownHere = ['beacons', 'showOn', 'delivery'] as const;

/** What the parts are refused for, below the sentence: their editors are closed. */
function Wrong({ form, isGone }: Pick<Props, 'form'> & { readonly isGone: boolean }) {
  const gone = isGone ? [t('Its beacons were deleted, so it is never shown. Choose another place.')] : [];
  const problems = [...gone, ...shownHere.flatMap((name) => form.problemWithin(name) ?? [])];
  if (problems.length === 0) return null;
  return (
    <Box component="ul" className="bare" mt="0.5rem" fz="0.9rem" c="var(--mantine-color-error)" role="alert">
      {problems.map((problem) => (
        <li key={problem}>{problem}</li>
      ))}
    </Box>
  );
}

/** The zone, floor or venue whose beacons these are, all of them and no others: people think of rooms. */
function usePlace(appId: string, beacons: readonly string[]): string | undefined {
  const [first = ''] = beacons;
  const isMany = beacons.length > 1;
  const { data: one } = useQuery({
    queryKey: dataKey(appId, 'listBeacons', 'place', first),
    queryFn: async () => (await dataOf(appId).beacons.list({ where: { objectId: first } })).results[0] ?? null,
    enabled: isMany,
  });
  const venueId = one?.venueId?.objectId ?? '';
  const asked = { enabled: isMany && venueId !== '' };
  const { data: there } = useQuery({ ...venueBeaconsQuery(appId, venueId), ...asked });
  const { data: zones } = useQuery({ ...zonesQuery(appId, venueId), ...asked });
  const { data: floors } = useQuery({ ...floorsQuery(appId, venueId), ...asked });
  const { data: venues } = useQuery({ ...venueNamesQuery(appId), ...asked });
  if (!isMany || !one || !there) return undefined;
  const isAll = (belongs: (beacon: Beacon) => boolean) => {
    const ids = there.filter(belongs).map(({ objectId }) => objectId);
    return ids.length === beacons.length && ids.every((id) => beacons.includes(id));
  };
  const zone = zones?.find(({ objectId }) => objectId === one.zoneId?.objectId);
  if (zone && isAll(({ zoneId }) => zoneId?.objectId === zone.objectId)) return zone.name;
  const floor = floors?.find(({ level }) => level === one.location?.['floor']);
  if (floor && isAll(({ location }) => location?.['floor'] === floor.level)) return floor.name;
  const venue = venues?.find(({ objectId }) => objectId === venueId);
  return venue && isAll(() => true) ? t('any beacon of {venue}', { venue: venue.name }) : undefined;
}
