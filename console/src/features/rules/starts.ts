import { t } from '../../lib/words/words.ts';
import type { Row } from './words.ts';

interface Start {
  readonly label: string;
  readonly start: object;
}

/** The member of a record that names its venue. */
const venueMembers: Readonly<Record<string, string>> = {
  venues: 'objectId',
  floors: 'venueId',
  zones: 'venueId',
  beacons: 'venueId',
};

/** Conditions to begin with, which are true to the kind of record. The first is the one that a new condition has. */
export function startsOf({ group, name, described }: Row): readonly Start[] {
  const own = { label: t('What is theirs'), start: { [described.owner]: '$auth.userId' } };
  const ofVenues = (member: string) => ({ label: t('What is of their venues'), start: { [member]: '$auth.venues' } });
  if (group === 'buckets') {
    const shared = { $or: [own.start, { 'metadata.sharedWith': '$auth.userId' }] };
    return [{ label: t('What is shared with them'), start: shared }, own, ofVenues('metadata.venue')];
  }
  if ('listen' in described.rules || !('create' in described.rules))
    return [{ label: t('What is of their phones'), start: { installationId: '$auth.installationId' } }];
  const member = venueMembers[name];
  return member ? [own, ofVenues(member)] : [own];
}
