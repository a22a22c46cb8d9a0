import { type Stop, stopOf } from '../../components/dialogs/stop-dialog.tsx';
import { t } from '../../lib/words/words.ts';
import type { VenueFields } from './venue-fields.ts';

type Open = Pick<VenueFields, 'name' | 'openingHours'>;

/** Without hours, it is not known to be closed. */
const isEverOpen = ({ openingHours }: Open) => openingHours === null || openingHours.length > 0;

/** What is asked before a venue is closed on every day of the week. */
export function venueStop(before: Open, after: Open): Stop | undefined {
  if (!isEverOpen(before) || isEverOpen(after)) return undefined;
  const name = after.name.trim();
  return stopOf(t('Close {name} on every day', { name }), t('Save and close'), [
    t('Messages that are shown only while {name} is open are shown to nobody, but for days with hours of their own.', {
      name,
    }),
  ]);
}
