import { Button, Radio, Stack, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { JsonObject } from '@pharos/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { FilterRows } from '../../components/list/filter-panel.tsx';
import { type FilterField, newRow } from '../../components/list/filter-rows.ts';
import { call } from '../../lib/data/api.ts';
import { dataKey } from '../../lib/data/listed.ts';
import { useTimes } from '../../lib/time/times.ts';
import type { Operations } from '../../lib/wire.ts';
import { type Audience, audienceFieldsIn, whereOfAudience } from './audience-fields.ts';
import classes from './push.module.css';

export type Reach = Operations['getReach']['answer']['result'];

interface Props {
  readonly appId: string;
  readonly value: Audience;
  readonly onChange: (audience: Audience) => void;
}

/** Everyone, or those who match conditions, with their number. */
export function AudienceBuilder({ appId, value, onChange }: Props) {
  const isSome = value.kind !== 'everyone';
  const { zone } = useTimes(appId);
  const fields = audienceFieldsIn(zone);
  const first = fields[0] as FilterField;
  return (
    <Stack gap="md">
      <Radio.Group
        aria-label="Who receives it"
        value={isSome ? 'some' : 'everyone'}
        onChange={(kind) =>
          onChange(kind === 'everyone' ? { kind } : { kind: 'rows', filter: { rows: [newRow(first)], isAny: false } })
        }
      >
        <Stack gap="xs">
          <Radio value="everyone" label="Everyone who has the app" />
          <Radio value="some" label="Only some of them" />
        </Stack>
      </Radio.Group>
      {value.kind === 'rows' && (
        <div>
          <FilterRows fields={fields} filter={value.filter} onChange={(filter) => onChange({ kind: 'rows', filter })} />
          <Button
            size="compact-sm"
            variant="subtle"
            mt="xs"
            onClick={() => {
              const where = whereOfAudience(value, zone);
              onChange({ kind: 'json', text: JSON.stringify(where === 'unfinished' ? {} : where, null, 2) });
            }}
          >
            Edit as JSON
          </Button>
        </div>
      )}
      {value.kind === 'json' && (
        <Textarea
          label="Condition as JSON"
          description="A where condition on the fields of installations, as in the API."
          autosize
          minRows={4}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          value={value.text}
          error={whereOfAudience(value, zone) === 'unfinished' && 'This is not a JSON object with a condition.'}
          onChange={({ currentTarget }) => onChange({ kind: 'json', text: currentTarget.value })}
        />
      )}
      <LiveCount appId={appId} audience={value} />
    </Stack>
  );
}

/** Whom a push to the audience would reach; undefined until it is known. */
export function useReach(appId: string, audience: Audience) {
  const { zone } = useTimes(appId);
  const where = whereOfAudience(audience, zone);
  const [asked] = useDebouncedValue(JSON.stringify(where ?? null), 300);
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: dataKey(appId, 'listInstallations', 'reach', asked),
    queryFn: async ({ signal }) => {
      const condition = JSON.parse(asked) as JsonObject | null;
      const query = condition ? { where: condition } : {};
      return (await call('getReach', { params: { appId }, query, signal })).result;
    },
    enabled: asked !== '"unfinished"',
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
  const isCurrent = !isPlaceholderData && asked === JSON.stringify(where ?? null);
  return { reach: data, isCurrent, error: isCurrent ? error : null, isUnfinished: where === 'unfinished' };
}

function LiveCount({ appId, audience }: { readonly appId: string; readonly audience: Audience }) {
  const { reach, isCurrent, error, isUnfinished } = useReach(appId, audience);
  if (isUnfinished)
    return (
      <Text c="dimmed" role="status">
        Complete the condition, or choose everyone.
      </Text>
    );
  if (error)
    return (
      <Text c="var(--mantine-color-error)" role="alert">
        {error.message}
      </Text>
    );
  return (
    <div role="status" aria-busy={!isCurrent}>
      {reach ? <ReachNote reach={reach} /> : <p className={classes.live}>Counting …</p>}
    </div>
  );
}

/** How many are reached, by which push services, and why others are not. */
export function ReachNote({ reach }: { readonly reach: Reach }) {
  const { installations, reachable, channels, unreachable } = reach;
  return (
    <>
      <p className={classes.live}>
        <b>{reachable.toLocaleString('en')}</b> of {count(installations)} can be reached
        {channels.length > 0 &&
          `: ${channels.map((one) => `${one.count.toLocaleString('en')} by ${one.name}`).join(', ')}`}
        .
      </p>
      {unreachable.length > 0 && (
        <ul className={classes.notReached} aria-label="Not reached">
          {unreachable.map(({ reason, count: n }) => (
            <li key={reason}>
              <b>{n.toLocaleString('en')}</b> not: {reason}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

export const count = (n: number): string => `${n.toLocaleString('en')} ${n === 1 ? 'installation' : 'installations'}`;
