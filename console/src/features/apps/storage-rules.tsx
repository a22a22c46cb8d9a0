import { Group, NumberInput, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { usageOfAppQuery } from '../../lib/data/queries.ts';
import { t } from '../../lib/words/words.ts';
import { numberProps, type Policy, type PolicyFields, type PolicyProps } from './rule-parts.tsx';
import rules from './rules.module.css';

/** The unit of sizes everywhere. */
const megabyte = 1_000_000;

const quotaFields: readonly {
  readonly name: Exclude<keyof Policy['quotas'], OfUser>;
  readonly label: string;
  readonly unit?: number;
}[] = [
  { name: 'files', label: t('Files') },
  { name: 'fileBytes', label: t('Size of all files, MB'), unit: megabyte },
  { name: 'records', label: t('Records') },
  { name: 'recordBytes', label: t('Size of all records, MB'), unit: megabyte },
  { name: 'uploadsPerHour', label: t('Uploads per hour') },
  { name: 'uploadBytesPerHour', label: t('Uploads per hour, MB'), unit: megabyte },
  { name: 'pushesPerHour', label: t('Pushes per hour') },
];

type OfUser = 'filesPerUser' | 'fileBytesPerUser' | 'recordsPerUser' | 'recordBytesPerUser';

const userFields: readonly { readonly name: OfUser; readonly label: string; readonly unit?: number }[] = [
  { name: 'filesPerUser', label: t('Files of one user') },
  { name: 'fileBytesPerUser', label: t('Size of the files of one user, MB'), unit: megabyte },
  { name: 'recordsPerUser', label: t('Records of one user') },
  { name: 'recordBytesPerUser', label: t('Size of the records of one user, MB'), unit: megabyte },
];

function UserQuotas({ fields }: PolicyProps) {
  const { quotas } = fields.values;
  const set = (name: OfUser, value: number | undefined) => {
    const { [name]: _, ...others } = quotas;
    fields.set('quotas', value === undefined ? others : { ...others, [name]: value });
  };
  const inputs = (
    <Group align="flex-start" gap="lg">
      {userFields.map(({ name, label, unit = 1 }) => {
        const most = quotas[name];
        return (
          <NumberInput
            key={name}
            label={label}
            description={t('Empty: as much as the app')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            min={0}
            allowDecimal={false}
            error={fields.problem(`quotas.${name}`)}
            classNames={{ wrapper: rules.number ?? '' }}
            value={most === undefined ? '' : Math.ceil(most / unit)}
            onChange={(value) => set(name, typeof value === 'number' ? Math.round(value * unit) : undefined)}
          />
        );
      })}
    </Group>
  );
  return (
    <>
      <Text c="dimmed" mt="lg" mb="xs" maw="42rem">
        {t(
          'One user may take at most this much of what is stored. Managers, secret keys and this console may take all of it.',
        )}
      </Text>
      {inputs}
    </>
  );
}

export function QuotaRules({ appId, fields }: { readonly appId: string; readonly fields: PolicyFields }) {
  const { quotas } = fields.values;
  const { data: usage } = useQuery(usageOfAppQuery(appId));
  const ofApp = (
    <Group align="flex-start" gap="lg">
      {quotaFields.map(({ name, label, unit = 1 }) => {
        const used = usage && name in usage ? usage[name as keyof typeof usage] : undefined;
        return (
          <NumberInput
            key={name}
            label={label}
            description={used && t('{share} % in use', { share: showShare(used) })}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            min={1}
            error={fields.problem(`quotas.${name}`)}
            {...numberProps(Math.ceil(quotas[name] / unit), (value) =>
              fields.set('quotas', {
                ...quotas,
                [name]: typeof value === 'number' ? Math.round(value * unit) : value,
              }),
            )}
          />
        );
      })}
    </Group>
  );
  return (
    <>
      {ofApp}
      <UserQuotas fields={fields} />
    </>
  );
}

function showShare({ used, quota }: { readonly used: number; readonly quota: number }): string {
  const percent = quota === 0 ? 100 : (used / quota) * 100;
  return percent > 0 && percent < 1 ? '< 1' : String(Math.floor(percent));
}

type Kept = keyof Policy['retentionDays'];

const keptLabels: Readonly<Record<Kept, string>> = {
  logs: t('Logs'),
  visits: t('Visits'),
  events: t('Events and verdicts'),
  deliveries: t('Deliveries'),
  positions: t('Last positions'),
};
/** How long records are kept. Deliveries and positions follow the events unless they say something else. */
export function KeepingRules({ fields }: PolicyProps) {
  const { retentionDays } = fields.values;
  const set = (name: Kept, days: number | undefined) => {
    const { [name]: _, ...others } = retentionDays;
    fields.set('retentionDays', (days === undefined ? others : { ...others, [name]: days }) as typeof retentionDays);
  };
  const { visits, events, deliveries = events } = retentionDays;
  return (
    <>
      <Group align="flex-start" gap="lg">
        {(Object.keys(keptLabels) as Kept[]).map((name) => {
          const follows = name === 'deliveries' || name === 'positions';
          return (
            <NumberInput
              key={name}
              label={keptLabels[name]}
              description={follows ? t('Empty: as long as events') : undefined}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              placeholder={follows ? String(retentionDays.events) : undefined}
              min={0}
              max={36_500}
              allowDecimal={false}
              error={fields.problem(`retentionDays.${name}`)}
              classNames={{ wrapper: rules.number ?? '' }}
              value={retentionDays[name] ?? ''}
              onChange={(days) => {
                if (typeof days === 'number') set(name, days);
                else if (follows) set(name, undefined);
              }}
            />
          );
        })}
      </Group>
      {[visits, events, deliveries].includes(0) && (
        <Text c="dimmed" mt="sm" maw="42rem">
          {t(
            'Visits, events or deliveries for 0 days: each is told to the app, to streams and webhooks, and numbers of visits stay right. Not possible then: ways through the house, looking up why a message was shown or not, judging rules anew, and putting right what is reported more than 50 minutes late. Caps still count what a phone was shown, for 32 days.',
          )}
        </Text>
      )}
    </>
  );
}
