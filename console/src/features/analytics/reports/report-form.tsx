import { Checkbox, NativeSelect, Radio, Stack, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageForm } from '../../../components/form/page-form.tsx';
import { type RecordFormProps, useRecordForm } from '../../../components/form/use-record-form.ts';
import { Block, Loading } from '../../../components/page/blocks.tsx';
import { useStanding } from '../../../lib/data/access.ts';
import { call } from '../../../lib/data/api.ts';
import type { Operations, Report } from '../../../lib/wire.ts';
import { t } from '../../../lib/words/words.ts';
import { useSite } from '../site.ts';
import { type Candidate, reportsKey, reportsQuery } from './queries.ts';
import { MailNote } from './reports-page.tsx';

interface ReportFields {
  /** Empty: the whole app. */
  readonly venueId: string;
  readonly every: Report['every'];
  readonly administrators: readonly string[];
  /** One a line. */
  readonly addresses: string;
}

type NewReport = Operations['createReport']['body'];

const fields = ['venueId', 'every', 'administrators', 'administrators.', 'addresses', 'addresses.'] as const;

const intervals: Readonly<Record<Report['every'], string>> = {
  week: t('Weekly, on Monday'),
  month: t('Monthly, on the first'),
};

const fieldsOf = (report?: Report): ReportFields => ({
  venueId: report?.venueId ?? '',
  every: report?.every ?? 'week',
  administrators: report?.administrators ?? [],
  addresses: report?.addresses.join('\n') ?? '',
});

const bodyOf = ({ venueId, every, administrators, addresses }: ReportFields, known?: Report) => ({
  venueId: venueId === '' ? null : venueId,
  every,
  isOn: known?.isOn ?? true,
  administrators,
  addresses: addresses.split(/[\s,;]+/).filter((one) => one !== ''),
});

export function ReportForm({ appId, record: report, model, onDone, onCancel }: RecordFormProps<Report>) {
  const params = { appId, reportId: report?.reportId ?? '' };
  const { data: known, error } = useQuery(reportsQuery(appId));
  const venues = useSite(appId)?.venues ?? [];
  const shared = useRecordForm<Report, ReportFields, Report>({
    name: `report ${report?.reportId ?? `new ${model?.reportId ?? appId}`}`,
    record: report,
    ...(model ? { start: fieldsOf(model) } : {}),
    fieldsOf,
    bodyOf,
    read: async () => (await call('getReport', { params })).result,
    change: async (members, ifMatch) =>
      (await call('changeReport', { params, body: members as never, ifMatch })).result,
    create: async (body) => (await call('createReport', { params, body: body as NewReport })).result,
    done: report ? t('The report is saved.') : t('The report is set up.'),
    refresh: [reportsKey(appId)],
    after: (saved) => onDone(saved?.reportId ?? params.reportId),
    labels: {
      venueId: t('About'),
      every: t('How often'),
      administrators: t('Administrators'),
      addresses: t('Other people'),
    },
    show: {
      venueId: (id: string) =>
        id === '' ? t('The whole app') : (venues.find(({ objectId }) => objectId === id)?.name ?? t('Deleted')),
      every: (every: Report['every']) => intervals[every],
      administrators: (ids: readonly string[]) =>
        ids.map((id) => known?.candidates.find(({ adminId }) => adminId === id)?.name ?? id).join(', '),
    },
  });
  const { form } = shared;
  if (!known) return <Loading data={known} error={error} height={260} />;
  return (
    <PageForm shared={shared} names={fields} submit={report ? t('Save') : t('Set up the report')} onCancel={onCancel}>
      <MailNote canMail={known.canMail} />
      <Block title={t('What and when')}>
        <Stack gap="md">
          <VenueChoice
            appId={appId}
            value={form.values.venueId}
            error={form.problem('venueId')}
            onChange={(venueId) => form.set('venueId', venueId)}
          />
          <Radio.Group
            label={t('How often')}
            value={form.values.every}
            onChange={(every) => form.set('every', every as Report['every'])}
          >
            <Stack gap="xs" mt="xs">
              <Radio value="week" label={intervals.week} />
              <Radio value="month" label={intervals.month} />
            </Stack>
          </Radio.Group>
        </Stack>
      </Block>
      <Block title={t('Who gets it')}>
        <Stack gap="md">
          <AdministratorChoice
            candidates={known.candidates}
            report={report}
            venueId={form.values.venueId}
            value={form.values.administrators}
            error={form.problemWithin('administrators')}
            onChange={(administrators) => form.set('administrators', administrators)}
          />
          <Textarea
            label={t('Other people')}
            description={t(
              'E-mail addresses, one a line. Each gets a mail first and has to confirm; whoever adds an address answers for it.',
            )}
            minRows={2}
            maxRows={10}
            spellCheck={false}
            {...form.text('addresses')}
            error={form.problemWithin('addresses')}
          />
        </Stack>
      </Block>
    </PageForm>
  );
}

interface VenueProps {
  readonly appId: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (venueId: string) => void;
}

/** The whole app is for those who see all of it. */
function VenueChoice({ appId, value, error, onChange }: VenueProps) {
  const venues = useSite(appId)?.venues ?? [];
  const isLimited = useStanding()?.venues !== undefined;
  const isMissing = value !== '' && !venues.some(({ objectId }) => objectId === value);
  return (
    <NativeSelect
      label={t('About')}
      description={t(
        'A report about a venue goes by its clocks and its opening hours. Messages are in reports about the whole app.',
      )}
      value={value}
      error={error}
      data={[
        { value: '', label: isLimited ? t('Choose a venue') : t('The whole app') },
        ...(isMissing ? [{ value, label: t('Deleted') }] : []),
        ...venues.map(({ objectId, name }) => ({ value: objectId, label: name })),
      ]}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

interface AdministratorProps {
  readonly candidates: readonly Candidate[];
  readonly report: Report | undefined;
  readonly venueId: string;
  readonly value: readonly string[];
  readonly error: string | undefined;
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Administrators who may see the figures, and those who already get them. */
function AdministratorChoice({ candidates, report, venueId, value, error, onChange }: AdministratorProps) {
  const fit = candidates.filter(
    ({ adminId, venueIds }) => venueIds === null || venueIds.includes(venueId) || value.includes(adminId),
  );
  const others = (report?.recipients ?? [])
    .filter(({ kind, id }) => kind === 'administrator' && !fit.some(({ adminId }) => adminId === id))
    .map(({ id, name, email }) => ({ adminId: id, name, email: email ?? '' }));
  return (
    <Checkbox.Group
      label={t('Administrators')}
      description={t('They get it as long as they may see the figures in the console.')}
      value={[...value]}
      error={error}
      onChange={onChange}
    >
      <Stack gap="xs" my="xs">
        {[...fit, ...others].map(({ adminId, name, email }) => (
          <Checkbox key={adminId} value={adminId} label={name} description={email} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
