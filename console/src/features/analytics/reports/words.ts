import type { Report } from '../../../lib/wire.ts';
import { listed, t } from '../../../lib/words/words.ts';
import { dayText } from '../period.ts';

/** Reports in words. */

export function everyText({ every, timeZone }: Pick<Report, 'every' | 'timeZone'>): string {
  return every === 'week'
    ? t('Every Monday at 07:00 ({zone})', { zone: timeZone })
    : t('On the first of each month at 07:00 ({zone})', { zone: timeZone });
}

/** When it is due, and what keeps it from being sent. */
export function nextText({ next, isOn }: Pick<Report, 'next' | 'isOn'>, canMail: boolean): string {
  if (next && !canMail) return t('Not sent: no mail server is set up');
  if (next) return t('Next on {day} at {time}', { day: dayText(next.day), time: next.time });
  return isOn ? t('Not sent any more: its venue was deleted') : t('Switched off');
}

export const titleOf = ({ name, venueId }: Pick<Report, 'name' | 'venueId'>): string =>
  venueId === null ? t('{name}, the whole app', { name }) : name;

type Last = NonNullable<Report['last']>;

export interface Result {
  readonly color: string;
  readonly label: string;
}

/** What became of the last one, in a word. */
export function resultOf({ last, isOn }: Pick<Report, 'last' | 'isOn'>): Result {
  if (!last) return { color: 'gray', label: isOn ? t('Not sent yet') : t('Off') };
  if (last.problem !== '') return { color: 'red', label: t('Not sent') };
  const wrong = last.mails.filter(({ state }) => state === 'failed' || state === 'unsure').length;
  if (wrong > 0) return { color: 'red', label: wrong === last.mails.length ? t('Not sent') : t('Not sent to all') };
  if (last.mails.some(({ state }) => state === 'waits')) return { color: 'yellow', label: t('Is being sent') };
  return last.mails.some(({ state }) => state === 'sent')
    ? { color: 'teal', label: t('Sent') }
    : { color: 'yellow', label: t('Nobody could get it') };
}

export const mailStates: Readonly<Record<Last['mails'][number]['state'], Result>> = {
  waits: { color: 'yellow', label: t('Waits') },
  sent: { color: 'teal', label: t('Sent') },
  failed: { color: 'red', label: t('Not sent') },
  unsure: { color: 'red', label: t('May have arrived') },
  withheld: { color: 'gray', label: t('Held back') },
};

export function recipientResult({ state }: Pick<Report['recipients'][number], 'state'>, canMail: boolean): Result {
  if (state === 'waits') return { color: 'yellow', label: t('Asked') };
  if (state === 'withheld') return { color: 'yellow', label: t('Held back') };
  return canMail ? { color: 'teal', label: t('Gets it') } : { color: 'gray', label: t('Would get it') };
}

export function recipientText({ state, kind }: Report['recipients'][number]): string | undefined {
  if (state === 'waits') return t('has not confirmed yet');
  if (state !== 'withheld') return undefined;
  return kind === 'administrator' ? t('may not see these figures') : t('nobody answers for the address any more');
}

export function recipientsText({ recipients }: Pick<Report, 'recipients'>): string {
  const names = recipients.slice(0, 4).map(({ name }) => name);
  const more = recipients.length - names.length;
  return more > 0 ? t('{names} and {more} more', { names: names.join(', '), more }) : listed(names);
}
