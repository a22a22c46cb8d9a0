import { Group } from '@mantine/core';
import { RowButton } from '../../../components/list/row-list.tsx';
import { useAction } from '../../../lib/actions/use-action.ts';
import { useMay } from '../../../lib/data/access.ts';
import { changeFinding, type Finding, findingsQuery } from '../../../lib/fleet/findings.ts';
import { t } from '../../../lib/words/words.ts';

interface Props {
  readonly appId: string;
  readonly finding: Finding;
}

/** What somebody says of a finding: known, mended, or never to be told of. */
export function FindingActions({ appId, finding }: Props) {
  const may = useMay()('beacons.write');
  const change = useAction({
    run: (state: Finding['state']) => changeFinding(appId, finding, state),
    undo: () => changeFinding(appId, finding, finding.state),
    done: t('Noted.'),
    refresh: [findingsQuery(appId).queryKey],
  });
  if (!may) return null;
  const button = (state: Finding['state'], label: string) => (
    <RowButton
      label={label}
      of={t('{action}: {name}', { action: label, name: finding.name })}
      isBusy={change.isPending && change.variables === state}
      onClick={() => change.mutate(state)}
    />
  );
  const isOver = finding.state === 'done' || finding.state === 'muted';
  return (
    <Group gap="xs">
      {!isOver && finding.state === 'open' && button('seen', t('I know'))}
      {!isOver && button('done', t('Mended'))}
      {!isOver && button('muted', t('Mute'))}
      {isOver && button('open', t('Open again'))}
    </Group>
  );
}
