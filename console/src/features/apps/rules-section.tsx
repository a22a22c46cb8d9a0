import { Alert, Button, Group, NativeSelect, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { FormEvent, ReactNode } from 'react';
import { useFields } from '../../components/form/use-fields.ts';
import { Block } from '../../components/page/block.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { choices, switches } from '../../components/rules/access-rules.ts';
import { DurationField } from '../../components/rules/duration-field.tsx';
import { RuleFields } from '../../components/rules/rule-fields.tsx';
import { limitTexts } from '../../components/rules/rule-words.ts';
import { appRules } from '../../components/rules/rules.ts';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMay } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { appQuery, appsQuery, usageOfAppQuery } from '../../lib/data/queries.ts';
import { timesIn } from '../../lib/time/times.ts';
import type { App } from '../../lib/wire.ts';
import classes from './rules.module.css';

const route = getRouteApi('/signed-in/apps/$appId');
type Policy = App['policy'];
type Fields = ReturnType<typeof useFields<Policy>>;

const shown = [
  'listUsers',
  'push',
  'readContent',
  'writeContent',
  'uploadNeedsUser',
  'deviceNeedsUser',
  'tokenDays',
  'passwordMinLength',
  'passwordResetUrl',
  'rateLimit.perSecond',
  'rateLimit.burst',
  'quotas.files',
  'quotas.fileBytes',
  'quotas.records',
  'quotas.recordBytes',
  'quotas.uploadsPerHour',
  'quotas.uploadBytesPerHour',
  'quotas.pushesPerHour',
  'retentionDays.logs',
  'retentionDays.visits',
  'retentionDays.events',
  'pushTimeToLive',
  'sensitivity',
  'delivery.',
];

/** Who may do what with the app's key, and how much of it. */
export function RulesSection() {
  const { appId } = route.useParams();
  const { data: app } = useQuery(appQuery(appId));
  // A saved app begins a new form, so that what is shown is what the service holds.
  return app ? <RulesForm key={app.updatedAt} app={app} /> : null;
}

function RulesForm({ app }: { readonly app: App }) {
  const fields = useFields<Policy>(app.policy);
  const isLocked = !useMay()('apps.change');
  const changed = changedMembers(app.policy, fields.values);
  const isDirty = Object.keys(changed).length > 0;
  const save = useAction({
    run: () => call('changeApp', { params: { appId: app.appId }, body: { policy: changed } }),
    done: 'The rules are saved.',
    refresh: [appsQuery.queryKey],
    showsError: true,
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    if (isDirty) save.mutate(undefined, { onError: fields.setFailure });
  }
  return (
    <form onSubmit={submit} noValidate>
      <SectionHeader title="Rules">
        Who may do what, how often visitors are told something, and how long records are kept.
        {isLocked && ' Your role lets you read the rules. Owners and managers change them.'}
      </SectionHeader>
      <fieldset disabled={isLocked} className={classes.fieldset}>
        <Block title="Who may do what">
          <AccessRules fields={fields} />
        </Block>
        <Block title="Users of the app">
          <UserRules fields={fields} />
        </Block>
        <Block title="Limits" about="For each client address, so that one of them cannot take everything.">
          <LimitRules fields={fields} />
        </Block>
        <Block
          title="Quotas"
          about="What the app may store, and how much clients may add in an hour: uploads per client address and per user, pushes for all ordinary users together. Managers have a separate allowance of pushes of the same size. Uploads and pushes from this console are not limited by the hour."
        >
          <QuotaRules appId={app.appId} fields={fields} />
        </Block>
        <Block
          title="Near a beacon"
          about="How sure the service has to be before it says that somebody has come, and how long a message about it is of use."
        >
          <ProximityRules fields={fields} />
        </Block>
        <Block
          title="How often messages are shown"
          about="For all notifications and storylines of the app. Each of them can say otherwise for itself."
        >
          <DeliveryPolicy fields={fields} />
        </Block>
        <Block title="How long records are kept" about="In days. What is older is deleted.">
          <KeepingRules fields={fields} />
        </Block>
      </fieldset>
      {(isDirty || save.isError) && (
        <div className={classes.bar} role="status">
          <FailureNote message={fields.rest(shown.flatMap((name) => [name, `policy.${name}`]))} />
          <Group justify="space-between">
            <Text size="sm" fw={550}>
              You have changes that are not saved.
            </Text>
            <Group gap="xs">
              <Button variant="default" onClick={() => fields.reset()}>
                Undo them
              </Button>
              <Button type="submit" loading={save.isPending}>
                Save the rules
              </Button>
            </Group>
          </Group>
        </div>
      )}
    </form>
  );
}

function changedMembers(before: Policy, now: Policy): Partial<Policy> {
  const entries = Object.entries(now).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Policy]),
  );
  return Object.fromEntries(entries) as Partial<Policy>;
}

function Rule({ children, warning }: { readonly children: ReactNode; readonly warning?: string | undefined }) {
  return (
    <div className={classes.rule}>
      {children}
      {warning && (
        <Alert color="yellow" variant="light" p="xs" icon={<Icon name="warning" size={16} />}>
          {warning}
        </Alert>
      )}
    </div>
  );
}

function AccessRules({ fields }: { readonly fields: Fields }) {
  return (
    <Stack gap="lg">
      {choices.map(({ name, label, options, warnings }) => {
        const value: string = fields.values[name];
        return (
          <Rule key={name} warning={warnings[value]}>
            <NativeSelect
              label={label}
              classNames={{ wrapper: classes.choice ?? '' }}
              data={Object.entries(options).map(([option, text]) => ({ value: option, label: text }))}
              value={value}
              error={fields.problem(name)}
              onChange={(event) => fields.set(name, event.currentTarget.value as Policy[typeof name])}
            />
          </Rule>
        );
      })}
      {switches.map(({ name, label, about, warning }) => (
        <Rule key={name} warning={fields.values[name] ? undefined : warning}>
          <Switch
            label={label}
            description={about}
            checked={fields.values[name]}
            onChange={(event) => fields.set(name, event.currentTarget.checked)}
          />
        </Rule>
      ))}
    </Stack>
  );
}

/** A number input that stays empty while one types, and keeps the last number. */
function numberProps(value: number, set: (value: number) => void) {
  return {
    value,
    onChange: (next: number | string) => typeof next === 'number' && set(next),
    classNames: { wrapper: classes.number ?? '' },
  };
}

function UserRules({ fields }: { readonly fields: Fields }) {
  const { values, set, problem } = fields;
  return (
    <Stack gap="lg">
      <NumberInput
        label="Days until a user has to sign in again"
        description="Counted from the last use of the access token."
        min={1}
        max={3650}
        error={problem('tokenDays')}
        {...numberProps(values.tokenDays, (value) => set('tokenDays', value))}
      />
      <Rule
        warning={
          values.passwordMinLength < 8
            ? 'Passwords under 8 characters are guessed quickly. 4 is the default.'
            : undefined
        }
      >
        <NumberInput
          label="Shortest password"
          description="For new passwords; 4 to 50 characters."
          min={4}
          max={50}
          error={problem('passwordMinLength')}
          {...numberProps(values.passwordMinLength, (value) => set('passwordMinLength', value))}
        />
      </Rule>
      <TextInput
        label="Page for choosing a new password"
        description="The mail links to it with ?token=…. Leave it empty to use the page of this service."
        placeholder="https://"
        maw={480}
        {...fields.text('passwordResetUrl')}
      />
    </Stack>
  );
}

function LimitRules({ fields }: { readonly fields: Fields }) {
  const { rateLimit } = fields.values;
  const set = (change: Partial<Policy['rateLimit']>) => fields.set('rateLimit', { ...rateLimit, ...change });
  return (
    <Stack gap="lg">
      <Rule
        warning={
          rateLimit.enabled ? undefined : 'Without a limit, one client can slow the service down for all others.'
        }
      >
        <Switch
          label="Limit the number of requests"
          checked={rateLimit.enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
        />
      </Rule>
      {rateLimit.enabled && (
        <Group align="flex-start" gap="lg">
          <NumberInput
            label="Requests a second"
            min={0.1}
            error={fields.problem('rateLimit.perSecond')}
            {...numberProps(rateLimit.perSecond, (perSecond) => set({ perSecond }))}
          />
          <NumberInput
            label="At once"
            min={1}
            error={fields.problem('rateLimit.burst')}
            {...numberProps(rateLimit.burst, (burst) => set({ burst }))}
          />
        </Group>
      )}
    </Stack>
  );
}

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
  { name: 'uploadsPerHour', label: 'Uploads an hour' },
  { name: 'uploadBytesPerHour', label: 'Uploads an hour, MiB', unit: mebibyte },
  { name: 'pushesPerHour', label: 'Pushes an hour' },
];

/** The app's quotas, with the share of each that is in use. */
function QuotaRules({ appId, fields }: { readonly appId: string; readonly fields: Fields }) {
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

function ProximityRules({ fields }: { readonly fields: Fields }) {
  const { values, set, problem } = fields;
  return (
    <Stack gap="lg">
      <Rule>
        <NativeSelect
          label="When has somebody come near?"
          description="A beacon can say otherwise for its place."
          classNames={{ wrapper: classes.choice ?? '' }}
          data={[
            { value: 'stable', label: 'Stable: few false events' },
            { value: 'fast', label: 'Fast: short passes count too' },
          ]}
          value={values.sensitivity}
          error={problem('sensitivity')}
          onChange={({ currentTarget }) => set('sensitivity', currentTarget.value as Policy['sensitivity'])}
        />
      </Rule>
      <Rule
        warning={
          values.pushTimeToLive > 3_600
            ? 'After an hour the visitor may be far away when the message comes.'
            : undefined
        }
      >
        <DurationField
          label="A message is of use for"
          seconds={values.pushTimeToLive}
          error={problem('pushTimeToLive')}
          onChange={(seconds) => set('pushTimeToLive', seconds)}
        />
        <Text size="sm" c="dimmed">
          A phone that was off so long does not show it any more. From 10 seconds to a day.
        </Text>
      </Rule>
    </Stack>
  );
}

/** The app's own rules, and what all of them together mean. */
function DeliveryPolicy({ fields }: { readonly fields: Fields }) {
  const { values, set } = fields;
  const times = timesIn(values.timeZone);
  const limits = limitTexts(appRules(values), times);
  return (
    <Stack gap="lg">
      <Switch
        label="Polite"
        description="15 minutes between two times of a message, 3 messages a day for one visitor, and quiet from 22:00 to 08:00. What is set below goes before it."
        checked={values.polite}
        onChange={({ currentTarget }) => set('polite', currentTarget.checked)}
      />
      <RuleFields
        value={values.delivery}
        times={times}
        problem={(name) => fields.problemWithin(`delivery.${name}`) ?? fields.problemWithin(`policy.delivery.${name}`)}
        onChange={(delivery) => set('delivery', delivery)}
      />
      <Text size="sm" data-testid="limits">
        {limits.length === 0
          ? 'Now: every message is shown once a visit, without further limits.'
          : `Now: a message is shown ${limits.join(', ')}.`}
      </Text>
    </Stack>
  );
}

function KeepingRules({ fields }: { readonly fields: Fields }) {
  const { retentionDays } = fields.values;
  const labels = { logs: 'Logs', visits: 'Visits', events: 'Events and why they fired' } as const;
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
