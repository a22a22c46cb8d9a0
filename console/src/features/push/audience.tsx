import { Button, Radio, Stack, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { JsonObject } from '@pharos/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { FilterRows } from '../../components/list/filter-panel.tsx';
import { type FilterField, newRow } from '../../components/list/filter-rows.ts';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { dataKey } from '../../lib/data/listed.ts';
import { type Audience, audienceFields, whereOfAudience } from './audience-fields.ts';
import classes from './push.module.css';

interface Props {
  readonly appId: string;
  readonly value: Audience;
  readonly onChange: (audience: Audience) => void;
}

/** Everyone, or those who match conditions, with their number. */
export function AudienceBuilder({ appId, value, onChange }: Props) {
  const isSome = value.kind !== 'everyone';
  const first = audienceFields[0] as FilterField;
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
          <FilterRows
            fields={audienceFields}
            filter={value.filter}
            onChange={(filter) => onChange({ kind: 'rows', filter })}
          />
          <Button
            size="compact-sm"
            variant="subtle"
            mt="xs"
            onClick={() => {
              const where = whereOfAudience(value);
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
          error={whereOfAudience(value) === 'unfinished' && 'This is not a JSON object with a condition.'}
          onChange={({ currentTarget }) => onChange({ kind: 'json', text: currentTarget.value })}
        />
      )}
      <LiveCount appId={appId} audience={value} />
    </Stack>
  );
}

/** The number of installations in the audience; undefined until it is known. */
export function useAudienceCount(appId: string, audience: Audience) {
  const mayCount = useMayCall()('listInstallations');
  const where = whereOfAudience(audience);
  const [asked] = useDebouncedValue(JSON.stringify(where ?? null), 300);
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: dataKey(appId, 'listInstallations', 'count', asked),
    queryFn: async ({ signal }) => {
      const condition = JSON.parse(asked) as JsonObject | null;
      const query = { ...(condition ? { where: condition } : {}), limit: 0, count: 1 } as const;
      return (await dataOf(appId).call('listInstallations', { query, signal })).count ?? 0;
    },
    enabled: mayCount && asked !== '"unfinished"',
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
  const isCurrent = !isPlaceholderData && asked === JSON.stringify(where ?? null);
  return { mayCount, count: data, isCurrent, error: isCurrent ? error : null };
}

function LiveCount({ appId, audience }: { readonly appId: string; readonly audience: Audience }) {
  const { mayCount, count, isCurrent, error } = useAudienceCount(appId, audience);
  if (whereOfAudience(audience) === 'unfinished')
    return (
      <Text c="dimmed" role="status">
        Complete the condition, or choose everyone.
      </Text>
    );
  if (!mayCount)
    return (
      <Text c="dimmed">
        Your role cannot read installations. You see how many the message reached after it is sent.
      </Text>
    );
  if (error)
    return (
      <Text c="var(--mantine-color-error)" role="alert">
        {error.message}
      </Text>
    );
  return (
    <p className={classes.live} role="status" aria-busy={!isCurrent}>
      {count === undefined ? (
        'Counting …'
      ) : (
        <>
          <b>{count.toLocaleString('en')}</b> {count === 1 ? 'installation' : 'installations'}
        </>
      )}
    </p>
  );
}
