import { type ComingDay, dayLabels } from '../../components/rules/days.ts';
import classes from './storylines.module.css';

const said = { yes: 'runs', part: 'runs for part of the day', no: 'does not run' } as const;

/** The days of the next two weeks on which a scenario runs. */
export function ComingDays({ days, zone }: { readonly days: readonly ComingDay[]; readonly zone: string }) {
  const count = days.filter(({ runs }) => runs !== 'no').length;
  return (
    <div className={classes.coming}>
      <div className={classes.comingText}>
        Runs on {count} of the next {days.length} days, by the calendar in {zone}.
      </div>
      <ol className={classes.strip}>
        {days.map(({ date, day, runs }) => (
          <li key={date} className={classes[runs]} title={`${dayLabels[day]} ${date}: ${said[runs]}`}>
            <span className="off-screen">
              {date}, {dayLabels[day]}: {said[runs]}
            </span>
            <small aria-hidden>{day.slice(0, 2)}</small>
            <b aria-hidden>{Number(date.slice(8))}</b>
          </li>
        ))}
      </ol>
    </div>
  );
}
