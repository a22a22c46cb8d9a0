import { type Static, Type } from 'typebox';
import type { Problem } from '../../../../base/errors.ts';
import type { Db } from '../../../../db/db.ts';
import { objectIdSchema } from '../../../../http/answers.ts';
import type { SiteReads } from '../site/site.ts';
import type { ItemProblem, ReportedDecisions, ReportedShowing } from '../stages/stages.ts';

/** What a phone without a network has decided by itself, as it tells later. */

/** A phone that shows more in one batch has no caps, and cuts it. */
const maxShown = 200;

const instant = (description: string) =>
  Type.Union([Type.String({ maxLength: 64 }), Type.Number({ minimum: 0 })], { description });

const shown = Type.Object({
  triggerId: objectIdSchema,
  beacon: Type.String({ minLength: 1, maxLength: 64, description: 'objectId of the beacon' }),
  event: Type.Enum(['ENTER', 'EXIT', 'IMMEDIATE', 'NEAR', 'FAR']),
  shownAt: instant('When it was decided, ISO 8601 or epoch milliseconds'),
  eventId: Type.String({ minLength: 1, maxLength: 64, description: 'As the phone calls the event' }),
  visitId: Type.String({ minLength: 1, maxLength: 64, description: 'As the phone calls the visit' }),
  group: Type.Optional(Type.String({ maxLength: 20, description: 'The variant that was shown' })),
});

export const decidedSchema = Type.Object(
  {
    until: instant('All that happened until then was decided on the phone'),
    shown: Type.Array(shown, { maxItems: maxShown }),
  },
  {
    description:
      'From a phone that decides by itself while it is offline: the messages that it has shown, together with the sightings that they ' +
      'follow from. They are recorded as shown, count for caps and pauses, and are not sent again',
  },
);

export type SentDecided = Static<typeof decidedSchema>;
type ReadTime = (value: string | number | undefined) => number | undefined;

export function decidedProblems(sent: SentDecided | undefined, readTime: ReadTime): Problem[] {
  if (sent === undefined) return [];
  const problem = 'must be an ISO 8601 date or epoch milliseconds';
  return [
    ...(readTime(sent.until) === undefined ? [{ field: 'decided.until', problem }] : []),
    ...sent.shown.flatMap(({ shownAt }, index) =>
      readTime(shownAt) === undefined ? [{ field: `decided.shown.${index}.shownAt`, problem }] : [],
    ),
  ];
}

export const toDecided = ({ until, shown: all }: SentDecided, readTime: ReadTime): ReportedDecisions => ({
  until: readTime(until) ?? 0,
  shown: all.map(
    ({ beacon, shownAt, ...one }, index) =>
      ({ ...one, beaconId: beacon, at: readTime(shownAt) ?? 0, index }) as ReportedShowing,
  ),
});

/** What was shown in the last 30 days counts: no cap and no pause is longer. */
const keptMs = 30 * 86_400_000;
const aheadMs = 60_000;

const problemOf = (index: number, code: string, message: string): ItemProblem => ({
  index,
  code,
  field: `decided.shown.${index}`,
  message,
});

/** By the service's clock, and without what cannot have been. */
export function corrected(
  { until, shown: all }: ReportedDecisions,
  { errorAt, now }: { readonly errorAt: (time: number) => number; readonly now: number },
): { readonly decided: ReportedDecisions; readonly problems: readonly ItemProblem[] } {
  const problems: ItemProblem[] = [];
  const left = all.flatMap((one): ReportedShowing[] => {
    const at = one.at - errorAt(one.at);
    if (at <= now + aheadMs && at >= now - keptMs) return [{ ...one, at }];
    const when = at > now ? 'lies in the future' : 'is more than 30 days ago';
    problems.push(problemOf(one.index, 'bad_time', `shownAt ${when}, so this was left out.`));
    return [];
  });
  return { decided: { until: Math.min(until - errorAt(until), now), shown: left }, problems };
}

/** Without messages that the beacon does not have. */
export async function ofMessages(
  { db, site, appId }: { readonly db: Db; readonly site: SiteReads; readonly appId: string },
  { until, shown: all }: ReportedDecisions,
): Promise<{ readonly decided: ReportedDecisions; readonly problems: readonly ItemProblem[] }> {
  const problems: ItemProblem[] = [];
  const left: ReportedShowing[] = [];
  for (const one of all) {
    const found = (await site.triggers(db, appId, one.beaconId)).find(({ trigger }) => trigger.id === one.triggerId);
    const { event, variants = [] } = found?.trigger ?? {};
    if (event === one.event && (one.group === undefined || variants.some(({ name }) => name === one.group)))
      left.push(one);
    else
      problems.push(
        problemOf(
          one.index,
          'unknown_message',
          `The beacon ${one.beaconId} has no message ${one.triggerId} at ${one.event}.`,
        ),
      );
  }
  return { decided: { until, shown: left }, problems };
}
