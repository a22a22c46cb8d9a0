import { type Stop, stopOf } from '../../components/dialogs/stop-dialog.tsx';
import { uuidKey } from '../../lib/text/uuid.ts';
import { t } from '../../lib/words/words.ts';
import type { BeaconFields } from './beacon-fields.ts';

type Identity = Pick<BeaconFields, 'name' | 'uuid' | 'major' | 'minor'>;

const identityOf = ({ uuid, major, minor }: Identity) => [uuidKey(uuid.trim()), Number(major), Number(minor)].join(' ');

/** The question before a beacon gets other identifiers: visitors at the one that hangs there are no longer noticed. */
export function beaconStop(before: Identity, after: Identity): Stop | undefined {
  if (identityOf(before) === identityOf(after)) return undefined;
  const name = after.name.trim();
  return stopOf(t('Change the identifiers of {name}', { name }), t('Save other identifiers'), [
    t(
      'Visitors are noticed only where a beacon sends the new identifiers. The one that hangs there now has to be set to them.',
    ),
    t('Messages at {name} are shown to nobody until then.', { name }),
  ]);
}
