import { Box, Button, Radio, Stack, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { JsonObject } from '@pharos/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { FilterRows } from '../../components/list/filter-panel.tsx';
import { type FilterField, newRow } from '../../components/list/filter-rows.ts';
import { SavedMenu } from '../../components/list/saved-menu.tsx';
import { useMay } from '../../lib/data/access.ts';
import { call, dataKey } from '../../lib/data/api.ts';
import { useTimes } from '../../lib/time/times.ts';
import type { Operations } from '../../lib/wire.ts';
import { rich, t, translated } from '../../lib/words/words.ts';
import { type Audience, audienceFieldsIn, personalFields, whereOfAudience } from './audience-fields.ts';
import classes from './push.module.css';

export type Reach = Operations['getReach']['answer']['result'];

interface Props {
  readonly appId: string;
  readonly value: Audience;
  readonly onChange: (audience: Audience) => void;
}

const isAudience = (value: unknown): value is Audience =>
  typeof value === 'object' && value !== null && 'kind' in value && ['rows', 'json'].includes(String(value.kind));

/** Everyone, or those who match conditions, with their number. */
export function AudienceBuilder({ appId, value, onChange }: Props) {
  const isSome = value.kind !== 'everyone';
  const { zone } = useTimes(appId);
  const mayPersonal = useMay()('installations.personal');
  const used = value.kind === 'rows' ? value.filter.rows.map(({ field }) => field) : [];
  const fields = audienceFieldsIn(zone).filter(
    ({ name }) => mayPersonal || !personalFields.has(name) || used.includes(name),
  );
  const first = fields[0] as FilterField;
  return (
    <Stack gap="md">
      <Radio.Group
        aria-label={t('Who receives it')}
        value={isSome ? 'some' : 'everyone'}
        onChange={(kind) =>
          onChange(kind === 'everyone' ? { kind } : { kind: 'rows', filter: { rows: [newRow(first)], isAny: false } })
        }
      >
        <Stack gap="xs">
          <Radio value="everyone" label={t('Everyone who has the app')} />
          <Radio value="some" label={t('Only some of them')} />
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
            {t('Edit as JSON')}
          </Button>
        </div>
      )}
      {value.kind === 'json' && (
        <Textarea
          label={t('Condition as JSON')}
          description={t('A where condition on the fields of phones, as in the API.')}
          minRows={4}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          value={value.text}
          error={whereOfAudience(value, zone) === 'unfinished' && t('This is not a JSON object with a condition.')}
          onChange={({ currentTarget }) => onChange({ kind: 'json', text: currentTarget.value })}
        />
      )}
      <div className={classes.saved}>
        <SavedMenu
          list={`audiences ${appId}`}
          kind="audience"
          present={isSome && whereOfAudience(value, zone) !== 'unfinished' ? value : undefined}
          isValid={isAudience}
          onChoose={onChange}
        />
      </div>
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
      <Text size="md" c="dimmed" role="status">
        {t('Complete the condition, or choose everyone.')}
      </Text>
    );
  if (error)
    return (
      <Text size="md" c="var(--mantine-color-error)" role="alert">
        {error.message}
      </Text>
    );
  return (
    <div role="status" aria-busy={!isCurrent}>
      {reach ? <ReachNote reach={reach} /> : <p className={classes.live}>{t('Counting …')}</p>}
    </div>
  );
}

/** How many are reached, by which push services, and why others are not. */
export function ReachNote({ reach }: { readonly reach: Reach }) {
  const { installations, reachable, channels, unreachable } = reach;
  return (
    <>
      <p className={classes.live}>
        {rich('<b>{reachable, number}</b> of {count} can be reached{channels}.', {
          reachable,
          count: count(installations),
          channels:
            channels.length > 0 &&
            `: ${channels.map((one) => t('{count, number} by {name}', { count: one.count, name: one.name })).join(', ')}`,
        })}
      </p>
      {unreachable.length > 0 && (
        <Box component="ul" className="bare" mt="0.35rem" fz="0.9rem" c="dimmed" aria-label={t('Not reached')}>
          {unreachable.map(({ reason, count: n }) => (
            <li key={reason}>{rich('<b>{n, number}</b> not: {reason}', { n, reason: translated(reason) })}</li>
          ))}
        </Box>
      )}
    </>
  );
}

export const count = (n: number): string => t('{n, number} {n, plural, one {phone} other {phones}}', { n });
