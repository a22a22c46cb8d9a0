import { NativeSelect, NumberInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { BeaconSelect } from '../../../components/form/beacon-select.tsx';
import { eventOptions } from '../../../components/rules/rules.ts';
import { byName, listAll } from '../../../lib/data/all-records.ts';
import { dataKey, dataOf } from '../../../lib/data/api.ts';
import { bucketsQuery } from '../../../lib/data/queries.ts';
import { t } from '../../../lib/words/words.ts';
import { type Goal, type GoalKind, goalKind, goalKinds, newGoal } from './effects.ts';

interface GoalProps {
  readonly appId: string;
  readonly goal: Goal | null;
  readonly problem: (name: string) => string | undefined;
  readonly onChange: (goal: Goal | null) => void;
}

/** What a visitor is to do after a message. */
export function GoalFields({ appId, goal, problem, onChange }: GoalProps) {
  const kind = goalKind(goal);
  const set = (change: Partial<Goal>) => goal && onChange({ ...goal, ...change });
  return (
    <>
      <NativeSelect
        label={t('Goal')}
        description={t('What a visitor does who has taken the message to heart.')}
        data={Object.entries(goalKinds).map(([value, label]) => ({ value, label }))}
        value={kind}
        error={problem('goal')}
        onChange={({ currentTarget }) => onChange(newGoal(currentTarget.value as GoalKind, goal?.withinHours ?? 24))}
      />
      {goal && (kind === 'beacon' || kind === 'event') && (
        <BeaconSelect
          appId={appId}
          label={t('Beacon of the goal')}
          value={goal.beaconId ? [goal.beaconId] : []}
          error={problem('goal.beaconId')}
          onChange={([beaconId = '']) => set({ beaconId })}
        />
      )}
      {goal && kind === 'event' && (
        <NativeSelect
          label={t('What happens there')}
          data={eventOptions}
          value={goal.event ?? 'ENTER'}
          onChange={({ currentTarget }) => set({ event: currentTarget.value as NonNullable<Goal['event']> })}
        />
      )}
      {goal && kind === 'zone' && (
        <PlaceSelect
          appId={appId}
          of="zones"
          value={goal.zoneId}
          problem={problem('goal.zoneId')}
          onChange={(zoneId) => set({ zoneId })}
        />
      )}
      {goal && kind === 'venue' && (
        <PlaceSelect
          appId={appId}
          of="venues"
          value={goal.venueId}
          problem={problem('goal.venueId')}
          onChange={(venueId) => set({ venueId })}
        />
      )}
      {goal && kind === 'record' && (
        <BucketSelect
          appId={appId}
          value={goal.bucket}
          problem={problem('goal.bucket')}
          onChange={(bucket) => set({ bucket })}
        />
      )}
      {goal && (
        <NumberInput
          label={t('Within how many hours')}
          description={t('Counted from the first time that the visitor gets the message.')}
          min={1}
          max={2160}
          allowDecimal={false}
          value={goal.withinHours}
          error={problem('goal.withinHours')}
          onChange={(hours) => set({ withinHours: Number(hours) })}
        />
      )}
    </>
  );
}

interface ChoiceProps {
  readonly appId: string;
  readonly value: string | undefined;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

function PlaceSelect({ appId, of, value = '', problem, onChange }: ChoiceProps & { readonly of: 'zones' | 'venues' }) {
  const { data } = useQuery({
    queryKey: dataKey(appId, of === 'zones' ? 'listZones' : 'listVenues', 'choice'),
    queryFn: async (): Promise<readonly { readonly objectId: string; readonly name: string }[]> => {
      const { zones, venues } = dataOf(appId);
      return of === 'zones' ? byName(await listAll(zones.list)) : byName(await listAll(venues.list));
    },
  });
  const found = (data ?? []).map(({ objectId, name }) => ({ value: objectId, label: name }));
  return (
    <NativeSelect
      label={of === 'zones' ? t('Zone of the goal') : t('Venue of the goal')}
      data={[{ value: '', label: t('Choose one') }, ...found]}
      value={value}
      error={problem}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

function BucketSelect({ appId, value = '', problem, onChange }: ChoiceProps) {
  const { data } = useQuery(bucketsQuery(appId));
  return (
    <NativeSelect
      label={t('Bucket of the goal')}
      description={t("A record counts if the visitor has made it, or if it names the visitor's phone.")}
      data={[{ value: '', label: t('Choose one') }, ...(data ?? []).map(({ name }) => ({ value: name, label: name }))]}
      value={value}
      error={problem}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
