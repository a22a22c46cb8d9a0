import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Row, RowButton, RowList } from '../../../components/list/row-list.tsx';
import { findingTitles } from '../../../components/names/finding-words.ts';
import { useAction } from '../../../lib/actions/use-action.ts';
import {
  changeFinding,
  type Finding,
  findingsQuery,
  inOrderOfWalk,
  isToDo,
  needsBattery,
} from '../../../lib/fleet/findings.ts';
import { t } from '../../../lib/words/words.ts';

interface Props {
  readonly appId: string;
  readonly venueId: string;
}

/** The beacons of the venue that need a battery, in the order of a walk; each is done when somebody says so. */
export function Batteries({ appId, venueId }: Props) {
  const { data = [], error } = useQuery(findingsQuery(appId));
  const change = useAction({
    run: (finding: Finding) => changeFinding(appId, finding, 'done'),
    undo: (_, finding) => changeFinding(appId, finding, finding.state),
    done: t('Noted.'),
    refresh: [findingsQuery(appId).queryKey],
  });
  const left = inOrderOfWalk(data.filter((one) => one.venueId === venueId && isToDo(one) && needsBattery(one)));
  if (left.length === 0) return null;
  return (
    <Stack gap="xs" component="section" aria-label={t('Batteries to change')}>
      <Text size="md" fw={600}>
        {t('{count, plural, one {# battery} other {# batteries}} to change', { count: left.length })}
      </Text>
      <RowList rows={left} error={error}>
        {(finding) => (
          <Row
            key={`${finding.beaconId} ${finding.kind}`}
            title={finding.name}
            facts={[findingTitles[finding.kind]]}
            tools={
              <RowButton
                label={t('Changed')}
                of={t('{action}: {name}', { action: t('Changed'), name: finding.name })}
                isBusy={change.isPending && change.variables === finding}
                onClick={() => change.mutate(finding)}
              />
            }
          />
        )}
      </RowList>
    </Stack>
  );
}
