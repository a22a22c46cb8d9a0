import { type ComingDay, type DayName, dayLabels } from '../../components/rules/days.ts';
import { t } from '../../lib/words/words.ts';
import classes from './storylines.module.css';

const said = { yes: t('runs'), part: t('runs for part of the day'), no: t('does not run') } as const;

/** Above the dates, where there is room for two letters. */
const twoLetters: Readonly<Record<DayName, string>> = {
  Mon: t('Mo'),
  Tue: t('Tu'),
  Wed: t('We'),
  Thu: t('Th'),
  Fri: t('Fr'),
  Sat: t('Sa'),
  Sun: t('Su'),
};

/** The days of the next two weeks on which a scenario runs. */
export function ComingDays({ days, zone }: { readonly days: readonly ComingDay[]; readonly zone: string }) {
  const count = days.filter(({ runs }) => runs !== 'no').length;
  return (
    <div className={classes.coming}>
      <div className={classes.comingText}>
        {t('Runs on {count} of the next {all} days, by the calendar in {zone}.', {
          count,
          all: days.length,
          zone,
        })}
      </div>
      <ol className={classes.strip}>
        {days.map(({ date, day, runs }) => (
          <li key={date} className={classes[runs]} title={`${dayLabels[day]} ${date}: ${said[runs]}`}>
            <span className="off-screen">
              {date}, {dayLabels[day]}: {said[runs]}
            </span>
            <small aria-hidden>{twoLetters[day]}</small>
            <b aria-hidden>{Number(date.slice(8))}</b>
          </li>
        ))}
      </ol>
    </div>
  );
}
