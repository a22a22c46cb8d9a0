import { Button, Group, Input } from '@mantine/core';
import { dayLabels, type ShownDay, shortDays, week } from '../../components/rules/days.ts';
import { t } from '../../lib/words/words.ts';
import classes from './storylines.module.css';

interface Props {
  readonly value: readonly ShownDay[];
  readonly onChange: (value: readonly ShownDay[]) => void;
  readonly error: string | undefined;
}

const shortcuts = [
  { label: t('Every day'), days: week },
  { label: t('Mon–Fri'), days: week.slice(0, 5) },
  { label: t('Weekend'), days: week.slice(5) },
] as const;

/** A switch for each day of the week. */
export function WeekGrid({ value, onChange, error }: Props) {
  const isOn = (day: string) => value.some(({ dayName, checked }) => dayName === day && checked);
  const set = (isChosen: (day: string) => boolean) =>
    onChange(week.map((dayName) => ({ dayName, checked: isChosen(dayName) })));
  return (
    <Input.Wrapper label={t('Days')} description={t('By the calendar at the site.')} error={error} labelElement="div">
      <fieldset className={classes.week} aria-label={t('Days')}>
        {week.map((day) => (
          <label key={day} className={classes.day}>
            <input
              type="checkbox"
              checked={isOn(day)}
              aria-label={dayLabels[day]}
              onChange={({ currentTarget }) => set((one) => (one === day ? currentTarget.checked : isOn(one)))}
            />
            <span aria-hidden>{shortDays[day]}</span>
          </label>
        ))}
      </fieldset>
      <Group gap="xs">
        {shortcuts.map(({ label, days }) => (
          <Button
            key={label}
            size="compact-xs"
            variant="default"
            onClick={() => set((day) => (days as readonly string[]).includes(day))}
          >
            {label}
          </Button>
        ))}
      </Group>
    </Input.Wrapper>
  );
}
