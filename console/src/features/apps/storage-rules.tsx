import { Group, NumberInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { usageOfAppQuery } from '../../lib/data/queries.ts';
import { numberProps, type Policy, type PolicyFields, type PolicyProps } from './rule-parts.tsx';

const mebibyte = 1_048_576;

const quotaFields: readonly {
  readonly name: keyof Policy['quotas'];
  readonly label: string;
  readonly unit?: number;
}[] = [
  { name: 'files', label: 'Files' },
  { name: 'fileBytes', label: 'Size of all files, MiB', unit: mebibyte },
  { name: 'records', label: 'Records' },
  { name: 'recordBytes', label: 'Size of all records, MiB', unit: mebibyte },
  { name: 'uploadsPerHour', label: 'Uploads per hour' },
  { name: 'uploadBytesPerHour', label: 'Uploads per hour, MiB', unit: mebibyte },
  { name: 'pushesPerHour', label: 'Pushes per hour' },
];

/** The quotas of the app, with the share that is in use. */
export function QuotaRules({ appId, fields }: { readonly appId: string; readonly fields: PolicyFields }) {
  const { quotas } = fields.values;
  const { data: usage } = useQuery(usageOfAppQuery(appId));
  return (
    <Group align="flex-start" gap="lg">
      {quotaFields.map(({ name, label, unit = 1 }) => {
        const used = usage && name in usage ? usage[name as keyof typeof usage] : undefined;
        return (
          <NumberInput
            key={name}
            label={label}
            description={used && `${showShare(used)} % in use`}
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
}

function showShare({ used, quota }: { readonly used: number; readonly quota: number }): string {
  const percent = quota === 0 ? 100 : (used / quota) * 100;
  return percent > 0 && percent < 1 ? '< 1' : String(Math.floor(percent));
}

/** How long records are kept. */
export function KeepingRules({ fields }: PolicyProps) {
  const { retentionDays } = fields.values;
  const labels = { logs: 'Logs', visits: 'Visits', events: 'Events and verdicts' } as const;
  return (
    <Group align="flex-start" gap="lg">
      {(Object.keys(labels) as (keyof typeof labels)[]).map((name) => (
        <NumberInput
          key={name}
          label={labels[name]}
          min={1}
          max={36_500}
          error={fields.problem(`retentionDays.${name}`)}
          {...numberProps(retentionDays[name], (days) =>
            fields.set('retentionDays', { ...retentionDays, [name]: days }),
          )}
        />
      ))}
    </Group>
  );
}
