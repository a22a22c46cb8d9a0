import { NumberInput, Select, Stack, TextInput } from '@mantine/core';
import type { Body, Venue } from '@pharos/sdk';
import { type Stop, stopOf } from '../../components/dialogs/confirm-dialog.tsx';
import { PageForm } from '../../components/form/page-form.tsx';
import { type RecordFormProps, type SavedRecord, useRecordForm } from '../../components/form/use-record-form.ts';
import { Block } from '../../components/page/blocks.tsx';
import { dayLabels as dayTexts } from '../../components/rules/days.ts';
import { dataOf } from '../../lib/data/api.ts';
import { venueKeys } from '../../lib/data/venue-queries.ts';
import { copyName } from '../../lib/text/copy-name.ts';
import { useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { ExceptionsEditor } from './exceptions-editor.tsx';
import { WeekEditor } from './hours-editor.tsx';
import {
  bodyOf,
  dayText,
  type Exception,
  fieldsOf,
  hoursText,
  type Opening,
  type VenueFields,
  venueLabels,
} from './venue-fields.ts';
import classes from './venues.module.css';

const timeZones = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];
const fieldNames = [
  'name',
  'timeZone',
  'address',
  'location.latitude',
  'location.longitude',
  'capacity',
  'openingHours.',
  'openingHours',
  'exceptions.',
  'exceptions',
];

/** Hours and place of another house; floors and zones are its own. */
const copyOf = (model: Venue): VenueFields => ({
  ...fieldsOf(model),
  name: copyName(model.name),
});

export function VenueForm({ appId, record: venue, model, onDone, onCancel }: RecordFormProps<Venue>) {
  const { venues } = dataOf(appId);
  const id = venue?.objectId ?? '';
  const { zone } = useTimes(appId);
  const shared = useRecordForm<Venue, VenueFields, SavedRecord>({
    name: `venue ${id || `new ${appId}`}`,
    record: venue,
    ...(model ? { start: copyOf(model) } : {}),
    fieldsOf,
    bodyOf,
    check: ({ exceptions }) =>
      exceptions.some(({ date }) => date === '') ? [{ field: 'exceptions', problem: t('need a date each') }] : [],
    stop: venueStop,
    read: () => venues.get(id),
    change: (members, ifMatch) => venues.update(id, members, { ifMatch }),
    create: (body, again) => venues.create(body as Body<'createVenue'>, again),
    done: (fields) => t('{name} is saved.', { name: fields.name.trim() }),
    refresh: venueKeys(appId),
    after: (saved) => onDone(saved?.objectId ?? id),
    labels: venueLabels,
    show: {
      openingHours: (week: readonly Opening[] | null) =>
        week ? week.map((one) => `${dayTexts[one.dayName]} ${hoursText([one])}`).join('; ') : t('not known'),
      exceptions: (days: readonly Exception[]) =>
        days.map(({ date, name = '', hours }) => `${dayText(date)} ${name}: ${hoursText(hours)}`).join('; '),
    },
  });
  const { form } = shared;
  return (
    <PageForm shared={shared} names={fieldNames} submit={venue ? t('Save') : t('Add the venue')} onCancel={onCancel}>
      <Block title={t('Venue')}>
        <Stack gap="md">
          <TextInput label={t('Name')} required data-autofocus {...form.text('name')} />
          <TextInput label={t('Address')} {...form.text('address')} />
          <Select
            label={t('Time zone')}
            description={t('Of its clock. Days and hours of messages at its beacons follow it.')}
            placeholder={t('That of the app ({zone})', { zone })}
            data={timeZones}
            searchable
            clearable
            value={form.values.timeZone || null}
            error={form.problem('timeZone')}
            onChange={(timeZone) => form.set('timeZone', timeZone ?? '')}
          />
          <div className={classes.pair}>
            <NumberInput label={t('Latitude')} placeholder="57.72" hideControls {...form.number('location.latitude')} />
            <NumberInput
              label={t('Longitude')}
              placeholder="10.58"
              hideControls
              {...form.number('location.longitude')}
            />
          </div>
          <NumberInput
            label={t('Visitors at once, at most')}
            description={t(
              'When there are more, an alarm is told. Counted are visitors whose phones are heard. Empty: no limit.',
            )}
            min={1}
            allowDecimal={false}
            {...form.number('capacity')}
          />
        </Stack>
      </Block>
      <Block title={t('Opening hours')} about={t('By the clock at the venue.')}>
        <WeekEditor
          value={form.values.openingHours}
          onChange={(openingHours) => form.set('openingHours', openingHours)}
          problem={form.problemWithin('openingHours')}
        />
      </Block>
      <Block
        title={t('Holidays and other days')}
        about={t(
          'Days on which it is closed, or open at other hours than in the week. A calendar file (.ics) of public holidays adds them all.',
        )}
      >
        <ExceptionsEditor
          value={form.values.exceptions}
          onChange={(exceptions) => form.set('exceptions', exceptions)}
          problem={form.problemWithin('exceptions')}
          timeZone={form.values.timeZone || zone}
        />
      </Block>
    </PageForm>
  );
}

type Open = Pick<VenueFields, 'name' | 'openingHours'>;

/** Without hours, it is not known to be closed. */
const isEverOpen = ({ openingHours }: Open) => openingHours === null || openingHours.length > 0;

/** What is asked before a venue is closed on every day of the week. */
export function venueStop(before: Open, after: Open): Stop | undefined {
  if (!isEverOpen(before) || isEverOpen(after)) return undefined;
  const name = after.name.trim();
  return stopOf(t('Close {name} on every day', { name }), t('Save and close'), [
    t('Messages that are shown only while {name} is open are shown to nobody, but for days with hours of their own.', {
      name,
    }),
  ]);
}
