import { adminRoles } from '../../../server/src/access/roles.ts';

/**
 * What the service puts together out of parts, so that no text in its source shows the whole. `… ` marks what stands
 * within a sentence only.
 */

const within = (...texts: readonly string[]) => texts.map((text) => `… ${text}`);
const counted = (...nouns: readonly string[]) => nouns.flatMap((noun) => within(`{0} ${noun}`, `{0} ${noun}s`));

/** `Of 1,200 who got A 12 % reached the goal, of 300 who did not get it 9 %; …` */
const comparisons = [
  ['who got it', 'who did not get it'],
  ['who got {}', 'who did not get it'],
  ['who got {}', 'who got {}'],
].flatMap(([one, other]) =>
  [
    '; the difference may be chance.',
    ': more than chance alone explains. The difference is {} points, and most likely between {} and {}.',
    ': fewer than chance alone explains. The difference is {} points, and most likely between {} and {}.',
  ].map((end) => numbered(`Of {} ${one} {} reached the goal, of {} ${other} {}${end}`)),
);

function numbered(text: string): string {
  let hole = 0;
  return text.replaceAll('{}', () => `{${hole++}}`);
}

export const serviceComposed: readonly string[] = [
  ...counted('second', 'minute', 'hour', 'day', 'beacon', 'floor', 'zone'),
  ...within('once', 'twice', '{0} ({1})', 'and', 'or'),
  '{0} ({1}).',
  // What deliveries of earlier versions say.
  'No {0} credentials are set up for this app.',
  // Of one member, which has other words for editors.
  'photoId must be a picture, and is {0}.',
  'venueIds names no venue of this app: {0}.',
  'verifiedAt must be a time of the last 30 days.',
  'zoneId is in another venue than venueId says.',
  // Of features that speak to apps otherwise.
  'since must be a time of the last ten minutes, such as {0}.',
  'This user has no passkey with this objectId.',
  'This user has no authenticator app.',
  // What a schema asks for.
  'must be null',
  'The push service answered {0}',
  ...within('Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'),
  ...within('Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'),
  // What rules are about.
  ...within('list', 'see', 'add', 'change', 'delete', 'hear at once what happens to'),
  ...within('beacons', 'venues', 'floors', 'zones', 'notifications', 'storylines', 'scenarios', 'schemas', 'files'),
  ...within('devices', 'accounts', 'installations', 'push notifications', 'deliveries', 'visits', 'events', 'verdicts'),
  ...within('positions', 'log records', 'analytics', 'records'),
  ...within('{0} is {1}', '{0} is not {1}', '{0} is less than {1}', '{0} is at most {1}', '{0} is more than {1}'),
  ...within('{0} is at least {1}', '{0} matches {1}', '{0} with the options {1}', '{0} is there', '{0} is missing'),
  ...within('{0} is one of {1}', '{0} is none of {1}', '{0} has all of {1}', '({0})', 'it is not so that ({0})'),
  'Anyone with the app can {0}.',
  'Anyone who signs up can {0}.',
  'Anyone with the app can {0}, and anyone who signs up can {1}.',
  ...['read', 'change', 'read and change'].flatMap((does) => within(`${does} {0} bucket`, `${does} {0} buckets`)),
  // What is not there.
  ...within('beacon', 'venue', 'floor', 'zone', 'notification', 'storyline', 'scenario', 'schema', 'file', 'device'),
  ...within('installation', 'push notification', 'delivery', 'log record', 'user'),
  ...within('a string', 'an integer', 'a boolean', 'an array', 'a number', 'an object'),
  ...within(...adminRoles),
  ...comparisons,
];
