import type { DayName } from './local-time.ts';
import type { QuietHours, ShownDay } from './rule-types.ts';

/** On which days and at which hours a rule applies. */

const WEEK: readonly DayName[] = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const LONG_NAMES: Readonly<Record<DayName, string>> = {
  Mon: 'Monday',
  Tue: 'Tuesday',
  Wed: 'Wednesday',
  Thu: 'Thursday',
  Fri: 'Friday',
  Sat: 'Saturday',
  Sun: 'Sunday',
};

/** Whether a weekly schedule runs on a day: a missing day is unchecked, and an empty schedule never runs. */
export function runsOn(showOn: readonly ShownDay[], day: DayName): boolean {
  return showOn.some((shown) => shown.dayName === day && shown.checked);
}

/** "Mon–Fri, Sun"; "no day" for a schedule that never runs. */
export function describeDays(showOn: readonly ShownDay[]): string {
  const runs: DayName[][] = [];
  WEEK.forEach((day, index) => {
    if (!runsOn(showOn, day)) return;
    const last = runs.at(-1);
    if (last !== undefined && last.at(-1) === WEEK[index - 1]) last.push(day);
    else runs.push([day]);
  });
  if (runs.length === 0) return 'no day';
  return runs.map((run) => (run.length > 2 ? `${run[0]}–${run.at(-1)}` : run.join(', '))).join(', ');
}

export function longDayName(day: DayName): string {
  return LONG_NAMES[day];
}

/** Minutes since midnight of "HH:MM", or null. */
function minuteOf(text: string): number | null {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  return match === null ? null : Number(match[1]) * 60 + Number(match[2]);
}

/** Whether a minute of the day is quiet. Hours that are not "HH:MM", or are equal, are never quiet. */
export function isQuiet(hours: QuietHours, minute: number): boolean {
  const from = minuteOf(hours.from);
  const until = minuteOf(hours.until);
  if (from === null || until === null || from === until) return false;
  return from < until ? minute >= from && minute < until : minute >= from || minute < until;
}
