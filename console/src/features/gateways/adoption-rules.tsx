import { Button, Group, Stack, Text } from '@mantine/core';
import { operations } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMay } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { rulesQuery } from '../../lib/fleet/nearby.ts';
import { t } from '../../lib/words/words.ts';

type Rule = Awaited<ReturnType<NonNullable<ReturnType<typeof rulesQuery>['queryFn']>>>[number];

export const saveRule = (appId: string, { uuid, maxBeacons }: Pick<Rule, 'uuid' | 'maxBeacons'>) =>
  dataOf(appId).call(operations.saveAdoptionRule, { params: { uuid }, body: { maxBeacons } });

/** The UUIDs whose beacons are added automatically. */
export function AdoptionRules({ appId }: { readonly appId: string }) {
  const { data = [] } = useQuery(rulesQuery(appId));
  const may = useMay()('beacons.write');
  const remove = useAction({
    run: ({ uuid }: Rule) => dataOf(appId).call(operations.deleteAdoptionRule, { params: { uuid } }),
    undo: (_, rule) => saveRule(appId, rule),
    done: t('Beacons with this UUID are no longer added automatically.'),
    refresh: [rulesQuery(appId).queryKey],
  });
  if (data.length === 0) return null;
  return (
    <Stack component="section" gap="xs">
      <h2>{t('Added automatically')}</h2>
      {data.map((rule) => (
        <Group key={rule.uuid} gap="xs">
          <Text component="span">
            <span className="mono">{rule.uuid}</span>{' '}
            {t('up to {count, plural, one {# beacon} other {# beacons}}', { count: rule.maxBeacons })}
          </Text>
          {may && (
            <Button
              size="xs"
              loading={remove.isPending && remove.variables.uuid === rule.uuid}
              aria-label={t('{action}: {name}', { action: t('Stop'), name: rule.uuid })}
              onClick={() => remove.mutate(rule)}
            >
              {t('Stop')}
            </Button>
          )}
        </Group>
      ))}
    </Stack>
  );
}
