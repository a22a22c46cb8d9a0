import { ActionIcon, Box, Button, FileButton, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { FailureNote, Icon } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { t } from '../../lib/words/words.ts';
import { Spans } from './hours-editor.tsx';
import { readCalendar } from './read-calendar.ts';
import { dayText, type Exception } from './venue-fields.ts';
import classes from './venues.module.css';

interface Props {
  readonly value: readonly Exception[];
  readonly onChange: (value: readonly Exception[]) => void;
  readonly problem: string | undefined;
  /** Of the venue. */
  readonly timeZone: string;
}

const today = () => new Date().toISOString().slice(0, 10);

/** Days whose hours differ from those of the week. Those that are over are kept, and shown on demand. */
export function ExceptionsEditor({ value, onChange, problem, timeZone }: Props) {
  const [showsPast, setShowsPast] = useState(false);
  const [read, setRead] = useState<readonly Exception[]>();
  const choose = useAction({ run: (file: File) => readCalendar(file, { timeZone }), showsError: true, after: setRead });
  const rows = value.map((day, index) => ({ day, index }));
  const past = rows.filter(({ day }) => day.date !== '' && day.date < today());
  const shown = showsPast ? rows : rows.filter((row) => !past.includes(row));
  return (
    <Stack gap="sm">
      {shown.length === 0 && <Text c="dimmed">{t('No such days are coming.')}</Text>}
      <ul className="bare">
        {shown.map(({ day, index }) => (
          <ExceptionRow
            key={index}
            day={day}
            onChange={(next) => onChange(value.flatMap((one, at) => (at === index ? (next ?? []) : [one])))}
          />
        ))}
      </ul>
      {problem && (
        <Text c="red" role="alert">
          {problem}
        </Text>
      )}
      <FailureNote message={choose.error?.message} />
      <Group gap="xs">
        <Button
          size="xs"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => onChange([...value, { date: '', hours: [] }])}
        >
          {t('Add a day')}
        </Button>
        <FileButton accept=".ics,text/calendar" onChange={(file) => file && choose.mutate(file)}>
          {(props) => (
            <Button {...props} size="xs" leftSection={<Icon name="upload" size={14} />}>
              {t('Import a calendar')}
            </Button>
          )}
        </FileButton>
        {past.length > 0 && (
          <Button size="xs" variant="subtle" color="gray" onClick={() => setShowsPast(!showsPast)}>
            {showsPast
              ? t('Hide days that are over')
              : t('Show {count} that {count, plural, one {is} other {are}} over', { count: past.length })}
          </Button>
        )}
      </Group>
      <CalendarPreview
        days={read}
        known={value}
        onClose={() => setRead(undefined)}
        onTake={(days) => {
          onChange([...value, ...days].toSorted((a, b) => (a.date < b.date ? -1 : 1)));
          setRead(undefined);
        }}
      />
    </Stack>
  );
}

interface RowProps {
  readonly day: Exception;
  readonly onChange: (day: Exception | undefined) => void;
}

function ExceptionRow({ day, onChange }: RowProps) {
  const label = day.date === '' ? t('the new day') : dayText(day.date);
  return (
    <li className={classes.exception}>
      <TextInput
        type="date"
        aria-label={t('Date of {label}', { label })}
        value={day.date}
        onChange={({ currentTarget }) => onChange({ ...day, date: currentTarget.value })}
      />
      <TextInput
        aria-label={t('Name of {label}', { label })}
        placeholder={t('Why, such as Christmas')}
        maxLength={100}
        value={day.name ?? ''}
        onChange={({ currentTarget }) => {
          const { name: _old, ...rest } = day;
          onChange(currentTarget.value === '' ? rest : { ...rest, name: currentTarget.value });
        }}
      />
      <Spans of={label} hours={day.hours} onChange={(hours) => onChange({ ...day, hours })} />
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t('Remove {label}', { label })}
        onClick={() => onChange(undefined)}
      >
        <Icon name="trash" size={16} />
      </ActionIcon>
    </li>
  );
}

interface PreviewProps {
  readonly days: readonly Exception[] | undefined;
  readonly known: readonly Exception[];
  readonly onClose: () => void;
  readonly onTake: (days: readonly Exception[]) => void;
}

/** What a calendar would add, before anything is added. */
function CalendarPreview({ days = [], known, onClose, onTake }: PreviewProps) {
  const dates = new Set(known.map(({ date }) => date));
  const fresh = days.filter(({ date }) => !dates.has(date));
  return (
    <Modal opened={days.length > 0} onClose={onClose} title={t('Days from the calendar')}>
      <Stack>
        <Text>
          {fresh.length === 0
            ? t('All days of this calendar are in the list already.')
            : t('The venue would be closed on {count, plural, one {this day} other {these {count} days}}.', {
                count: fresh.length,
              })}
          {fresh.length > 0 && days.length > fresh.length && t(' Days that are in the list already stay as they are.')}
        </Text>
        <ul className={classes.preview}>
          {fresh.map(({ date, name }) => (
            <li key={date}>
              {dayText(date)}{' '}
              <Box component="span" c="dimmed" fz="0.92rem">
                {name}
              </Box>
            </li>
          ))}
        </ul>
        <Group justify="flex-end" gap="xs">
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button variant="filled" disabled={fresh.length === 0} onClick={() => onTake(fresh)}>
            {t('Add them')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
