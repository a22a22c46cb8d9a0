import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useOneClick } from '../../components/form/use-one-click.ts';
import { Block, FailureNote } from '../../components/page/blocks.tsx';
import { DryRunList } from '../../components/rules/dry-run-list.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { dryRunQuery } from '../../lib/data/queries.ts';
import { canonical } from '../../lib/text/json-compare.ts';
import type { AppRules, DryRun } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import { bodyOf, type RuleValues } from './rule-values.ts';

interface Props {
  readonly appId: string;
  readonly rules: AppRules;
  readonly values: RuleValues;
  readonly isDraft: boolean;
  readonly isLocked: boolean;
}

/** What other rules would have refused in the last days, before they are those of the app. */
export function DryRunBlock({ appId, rules, values, isDraft, isLocked }: Props) {
  const query = dryRunQuery(appId);
  const { data: dryRun, error } = useQuery(query);
  const params = { appId };
  const refresh = [query.queryKey];
  const { change } = useOneClick<DryRun, AppRules['stored'] | undefined>({
    name: t('the dry run'),
    read: async () => (await call('getDryRun', { params })).result,
    send: (body, ifMatch) =>
      body ? call('changeDryRun', { params, body, ifMatch }) : call('endDryRun', { params, ifMatch }),
    refresh,
  });
  /** Of what is on the page; what was counted meanwhile is no other. */
  const isAsShown = (now: DryRun) =>
    canonical([now.isChosen, now.rules]) === canonical([dryRun?.isChosen, dryRun?.rules]);
  const begin = useAction({
    run: () => change(bodyOf(values), isAsShown),
    done: t('From now on it is counted what these rules would refuse.'),
    refresh,
  });
  const end = useAction({ run: () => change(undefined, isAsShown), done: t('The dry run has ended.'), refresh });
  return (
    <Block
      title={t('Dry run')}
      about={t(
        'What other rules would have refused. Requests are answered without them, and nobody is named in the counts.',
      )}
    >
      <Stack gap="md">
        <FailureNote message={error?.message} />
        {dryRun && <Text>{aboutOf(dryRun)}</Text>}
        {dryRun?.rules && <DryRunList dryRun={dryRun} rules={rules} />}
        {!isLocked && dryRun && (
          <Group gap="xs">
            {isDraft && (
              <Button loading={begin.isPending} onClick={() => begin.mutate()}>
                {t('Count what your changes would refuse')}
              </Button>
            )}
            {dryRun.isChosen && (
              <Button loading={end.isPending} onClick={() => end.mutate()}>
                {t('End this dry run')}
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Block>
  );
}

function aboutOf({ rules, isChosen }: DryRun): string {
  if (!rules) return t('Nothing is counted: change rules above to count for some days what they would refuse.');
  return isChosen
    ? t('Rules that somebody has chosen are in a dry run.')
    : t('In a dry run are the rules that would close the app to strangers.');
}
