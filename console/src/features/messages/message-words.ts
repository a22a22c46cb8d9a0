import { comingDays, runsOn, week } from '../../components/rules/days.ts';
import { effectiveRules, type Rules } from '../../components/rules/rules.ts';
import { languagesOf } from '../../lib/text/languages.ts';
import { addDays, wallTime } from '../../lib/time/zoned-time.ts';
import { dateLocale, t } from '../../lib/words/words.ts';
import { type MessageFields, translatedFields } from './message.ts';

/** What the list and the form say about a message. */

export const languagesOfMessage = (fields: MessageFields) =>
  languagesOf(fields, fields as unknown as Readonly<Record<string, string>>, translatedFields);

/** How far ahead dates are looked for. */
const daysAhead = 62;
const maxDates = 3;

/** `5, 6 and 12 December`: the next days on which it is shown; `every day` if that is all there is to say. */
export function nextDates(
  { showOn, delivery }: Pick<MessageFields, 'showOn' | 'delivery'>,
  app: Rules,
  site: Site,
): string {
  const rules = effectiveRules(app, delivery);
  const zone = rules.timeZone ?? site.zone;
  const isDaily = week.every((day) => runsOn(showOn, day));
  if (isDaily && !rules.validFrom && !rules.validUntil) return t('every day');
  const days = comingDays({ showOn, rules, isEnabled: true, zone }, site.now, daysAhead)
    .filter(({ runs }) => runs !== 'no')
    .map(({ date }) => date);
  const format = new Intl.DateTimeFormat(dateLocale(), { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const said = (date: string) => format.format(new Date(`${date}T00:00Z`));
  const [first, ...others] = days;
  if (first !== undefined) {
    const isRun = others.length >= maxDates && others[maxDates - 1] === addDays(first, maxDates);
    if (isRun) return t('daily from {date}', { date: said(first) });
    return [first, ...others.slice(0, maxDates - 1)].map(said).join(', ') + (days.length > maxDates ? ' …' : '');
  }
  const until = Date.parse(rules.validUntil ?? '');
  if (until <= site.now) return t('ended on {date}', { date: said(wallTime(until - 1, zone).slice(0, 10)) });
  const from = Date.parse(rules.validFrom ?? '');
  return from > site.now ? t('from {day} on', { day: said(wallTime(from, zone).slice(0, 10)) }) : t('on no day');
}

interface Site {
  /** Of the app. */
  readonly zone: string;
  /** Epoch milliseconds. */
  readonly now: number;
}
