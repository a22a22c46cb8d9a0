import { ActionIcon, Box, Button, Group, Switch, Text, TextInput } from '@mantine/core';
import { Icon } from '../../components/page/blocks.tsx';
import { type DayName, dayLabels as dayTexts, week as weekDays } from '../../components/rules/days.ts';
import { t } from '../../lib/words/words.ts';
import type { Hours, Opening } from './venue-fields.ts';
import classes from './venues.module.css';

interface Props {
  readonly value: readonly Opening[] | null;
  readonly onChange: (value: readonly Opening[] | null) => void;
  readonly problem: string | undefined;
}

const usual: readonly Opening[] = weekDays.slice(1).map((dayName) => ({ dayName, from: '10:00', until: '18:00' }));

export function WeekEditor({ value, onChange, problem }: Props) {
  const of = (day: DayName) => (value ?? []).filter(({ dayName }) => dayName === day);
  const set = (day: DayName, hours: readonly Hours[]) =>
    onChange(
      weekDays.flatMap((name) => (name === day ? hours.map((one) => ({ dayName: day, ...timesOf(one) })) : of(name))),
    );
  const copyMonday = () => {
    const monday = of('Mon').map(timesOf);
    onChange([
      ...weekDays.slice(0, 5).flatMap((dayName) => monday.map((one) => ({ dayName, ...one }))),
      ...of('Sat'),
      ...of('Sun'),
    ]);
  };
  return (
    <>
      <Switch
        label={t('The opening hours are known')}
        description={t('Without them, messages that keep to the opening hours are shown at any time.')}
        checked={value !== null}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? usual : null)}
      />
      {value && (
        <Box mt="1rem">
          {weekDays.map((day) => (
            <fieldset key={day} className={classes.day}>
              <legend>{dayTexts[day]}</legend>
              <Spans of={dayTexts[day]} hours={of(day)} onChange={(hours) => set(day, hours)} />
            </fieldset>
          ))}
          <Group mt="sm">
            <Button size="xs" onClick={copyMonday}>
              {t('Use Monday for Tuesday to Friday')}
            </Button>
          </Group>
          <Text c="dimmed" mt="sm">
            {t(
              'An end that is not after the beginning, such as 20:00 to 03:00, is on the next day. Midnight is 00:00.',
            )}
          </Text>
        </Box>
      )}
      {problem && (
        <Text c="red" role="alert">
          {problem}
        </Text>
      )}
    </>
  );
}

const timesOf = ({ from, until }: Hours) => ({ from, until: until === '24:00' ? '00:00' : until });

interface SpansProps {
  /** For screen readers: `Monday`. */
  readonly of: string;
  readonly hours: readonly Hours[];
  readonly onChange: (hours: readonly Hours[]) => void;
}

/** The hours of one day: none is closed. */
export function Spans({ of, hours, onChange }: SpansProps) {
  const replace = (index: number, next: Hours) => onChange(hours.map((one, at) => (at === index ? next : one)));
  return (
    <div className={classes.spans}>
      {hours.length === 0 && (
        <Box component="span" c="dimmed" fz="0.92rem">
          {t('closed')}
        </Box>
      )}
      {hours.map((one, index) => {
        const { from, until } = timesOf(one);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the hours of a day have no other identity
          <span key={index} className={classes.span}>
            <TextInput
              type="time"
              aria-label={t('{of}, opens', { of })}
              value={from}
              onChange={({ currentTarget }) => replace(index, { from: currentTarget.value, until })}
            />
            <span aria-hidden>–</span>
            <TextInput
              type="time"
              aria-label={t('{of}, closes', { of })}
              value={until}
              onChange={({ currentTarget }) => replace(index, { from, until: currentTarget.value })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('Remove these hours of {of}', { of })}
              onClick={() => onChange(hours.filter((_, at) => at !== index))}
            >
              <Icon name="close" size={16} />
            </ActionIcon>
          </span>
        );
      })}
      {hours.length < 10 && (
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<Icon name="plus" size={14} />}
          aria-label={hours.length === 0 ? t('Open on {of}', { of }) : t('More hours on {of}', { of })}
          onClick={() =>
            onChange([...hours, hours.length === 0 ? { from: '10:00', until: '18:00' } : nextAfter(hours.at(-1))])
          }
        >
          {hours.length === 0 ? t('Open') : t('More')}
        </Button>
      )}
    </div>
  );
}

/** An hour after the last ones, so that they do not overlap at once. */
function nextAfter(last: Hours | undefined): Hours {
  const hour = Math.min(21, Number((last?.until ?? '18:00').slice(0, 2)) + 1);
  return { from: `${String(hour).padStart(2, '0')}:00`, until: `${String(hour + 2).padStart(2, '0')}:00` };
}
