import { isTimeZone } from '@pharos/engine';
import { parseInstant } from '@pharos/query';
import { type Static, type TSchema, Type } from 'typebox';
import type { Problem } from '../base/errors.ts';

/** Null switches off a member that the app has set for all messages. */
const orNull = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));
const month = 30 * 86_400;
const clockTime = () =>
  Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description: 'HH:MM at the site, such as 22:00' });
const per = Type.Enum(['trigger', 'app'], {
  description: 'Counted for this message alone, or for all messages of the app',
});

/** How often and when a message may be shown: the optional gates after schedule and repeat. All are off by default. */
export const deliveryRulesSchema = Type.Object(
  {
    oncePer: orNull(
      Type.Enum(['visit', 'event'], { description: 'Shown once a visit (the default), or at every event' }),
    ),
    coolDown: orNull(
      Type.Object(
        { seconds: Type.Integer({ minimum: 1, maximum: month }), per },
        { description: 'The pause between two' },
      ),
    ),
    caps: orNull(
      Type.Array(
        Type.Object({
          count: Type.Integer({ minimum: 1, maximum: 1000 }),
          per,
          window: Type.Union([Type.Integer({ minimum: 1, maximum: month }), Type.Literal('day')], {
            description: 'Seconds, or "day" for the calendar day at the site',
          }),
        }),
        { maxItems: 10, description: 'The most in a window' },
      ),
    ),
    dwellSeconds: orNull(
      Type.Integer({ minimum: 0, maximum: 43_200, description: 'How long the visitor has to stay first' }),
    ),
    nthVisit: orNull(
      Type.Object(
        { n: Type.Integer({ minimum: 1, maximum: 1_000_000 }), mode: Type.Enum(['only', 'from', 'every']) },
        { description: 'Only at visit n, from visit n on, or at every n-th visit at the beacon' },
      ),
    ),
    quietHours: orNull(
      Type.Object(
        { from: clockTime(), until: clockTime() },
        { description: 'When nothing is shown; may span midnight' },
      ),
    ),
    venueHours: orNull(
      Type.Object(
        {
          during: Type.Enum(['open', 'openDays'], {
            description: 'Only while the venue is open, or at any time of a day on which it opens',
          }),
          alreadyInside: Type.Optional(
            Type.Boolean({ description: 'Visitors who are inside when the venue opens get it then' }),
          ),
        },
        { description: "By the opening hours of the beacon's venue; without a venue or hours it makes no difference" },
      ),
    ),
    validFrom: orNull(Type.String({ maxLength: 64, description: 'ISO 8601; not before' })),
    validUntil: orNull(Type.String({ maxLength: 64, description: 'ISO 8601; not at or after' })),
    timeZone: orNull(
      Type.String({
        maxLength: 64,
        description: 'IANA time zone of the site; else that of the beacon, of its venue, of the app',
      }),
    ),
  },
  { description: 'How often and when it may be shown. Everything is off unless set here or in the policy of the app.' },
);

export type DeliveryRules = Static<typeof deliveryRulesSchema>;

/** The rules that the schema cannot express. `field` is the member that holds the rules. */
export function deliveryRuleProblems(field: string, rules: DeliveryRules | undefined): Problem[] {
  const problems: Problem[] = [];
  const complain = (member: string, problem: string) => problems.push({ field: `${field}.${member}`, problem });
  const instants = (['validFrom', 'validUntil'] as const).map((member) => {
    const text = rules?.[member];
    const at = typeof text === 'string' ? parseInstant(text) : undefined;
    if (typeof text === 'string' && at === undefined)
      complain(member, 'must be an ISO 8601 date such as 2026-05-04T09:30:00.000Z');
    return at;
  });
  const [from, until] = instants;
  if (from !== undefined && until !== undefined && from >= until) complain('validUntil', 'must be after validFrom');
  if (typeof rules?.timeZone === 'string' && !isTimeZone(rules.timeZone))
    complain('timeZone', 'must be an IANA time zone such as Europe/Vienna');
  return problems;
}
