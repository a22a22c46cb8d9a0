import type { Beacon } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { Deletion } from '../../../components/dialogs/confirm-dialog.tsx';
import blocks from '../../../components/page/blocks.module.css';
import { useMayCall, usePutBack } from '../../../lib/data/access.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { trashKey } from '../../../lib/data/history.ts';
import { messageUsesText } from '../../../lib/text/message-uses.ts';
import { rich, t } from '../../../lib/words/words.ts';
import { type BeaconUses, beaconKeys, beaconQuery, beaconUsesQuery } from '../queries.ts';

interface Props {
  readonly appId: string;
  readonly beacon: Beacon;
}

export function DeleteBeacon({ appId, beacon }: Props) {
  const putBack = usePutBack(appId, 'beacons');
  return (
    <Deletion
      title={t('Delete the beacon')}
      confirm={t('Delete {name}', { name: beacon.name })}
      run={() => dataOf(appId).beacons.delete(beacon.objectId)}
      done={t('{name} was deleted.', { name: beacon.name })}
      undo={putBack && (() => putBack(beacon.objectId))}
      refresh={[...beaconKeys(appId), trashKey(appId)]}
      leave={{ to: '/apps/$appId/beacons', params: { appId }, forget: beaconQuery(appId, beacon.objectId).queryKey }}
    >
      {rich('<b>{name}</b> is deleted. It stays in the trash for 30 days; its events and visits stay in the history.', {
        name: beacon.name,
      })}
      <Uses appId={appId} beacon={beacon} />
    </Deletion>
  );
}

function Uses({ appId, beacon }: Props) {
  const { data: uses } = useQuery(beaconUsesQuery(appId, beacon.objectId, useMayCall()));
  return <div className={blocks.meta}>{uses ? usesText(uses) : t('Looking for messages that use it …')}</div>;
}

function usesText(uses: BeaconUses): string {
  const text = messageUsesText(uses);
  if (uses.isPart && text === undefined)
    return t('None of your messages uses it. Whether one of the whole app does is shown to those who have all of it.');
  return text === undefined ? t('No message uses it.') : t('Used by {text}; they will no longer be shown.', { text });
}
