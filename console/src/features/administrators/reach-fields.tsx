import { Checkbox, MultiSelect, NativeSelect, Radio, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Role, roleOptions, roleTexts } from '../../lib/data/access.ts';
import { appsQuery } from '../../lib/data/queries.ts';
import { venueNamesQuery } from '../../lib/data/venue-queries.ts';
import type { Administrator } from '../../lib/wire.ts';
import { inSentence, listed, t } from '../../lib/words/words.ts';

/** Where a role holds; null: everywhere. */
export type Reach = Administrator['apps'];
type Grant = NonNullable<Reach>[number];

interface Props {
  readonly value: Reach;
  /** An owner's role applies everywhere; without it, the administrator is not an owner. */
  readonly role?: Role;
  readonly error?: string | undefined;
  readonly onChange: (value: Reach) => void;
}

/** The apps for which somebody has a role, with a different one for some, and the venues. */
export function ReachFields({ value, role, error, onChange }: Props) {
  const { data: apps = [] } = useQuery(appsQuery);
  const chosen = role === 'owner' ? null : value;
  function change(appId: string, grant: Grant | undefined) {
    const others = (chosen ?? []).filter((one) => one.appId !== appId);
    onChange(grant ? [...others, grant] : others);
  }
  return (
    <Stack gap="xs">
      <Radio.Group
        label={t('Where it holds')}
        value={chosen === null ? 'all' : 'some'}
        error={error}
        onChange={(which) => onChange(which === 'all' ? null : [])}
      >
        <Stack gap="xs" my="xs">
          <Radio value="all" label={t('In all apps, and for the service as a whole')} />
          <Radio
            value="some"
            label={t('In chosen apps only')}
            disabled={role === 'owner'}
            description={role === 'owner' ? t('An owner is limited to nothing.') : undefined}
          />
        </Stack>
      </Radio.Group>
      {chosen !== null && (
        <Stack component="ul" gap="0.75rem" pl="1.5rem" aria-label={t('Apps')}>
          {apps.map(({ appId, name }) => (
            <li key={appId}>
              <OneApp
                appId={appId}
                name={name}
                grant={chosen.find((one) => one.appId === appId)}
                onChange={(grant) => change(appId, grant)}
              />
            </li>
          ))}
        </Stack>
      )}
    </Stack>
  );
}

interface OneProps {
  readonly appId: string;
  readonly name: string;
  readonly grant: Grant | undefined;
  readonly onChange: (grant: Grant | undefined) => void;
}

function OneApp({ appId, name, grant, onChange }: OneProps) {
  const { data: venues = [] } = useQuery({ ...venueNamesQuery(appId), enabled: grant !== undefined });
  return (
    <Stack gap="xs">
      <Checkbox
        label={name}
        checked={grant !== undefined}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? { appId } : undefined)}
      />
      {grant && (
        <Stack gap="0.5rem" pl="1.75rem">
          <NativeSelect
            label={t('Role in {name}', { name })}
            data={[
              { value: '', label: t('As above') },
              ...roleOptions.filter(({ value: option }) => option !== 'owner'),
            ]}
            value={grant.role ?? ''}
            onChange={({ currentTarget }) => {
              const { role: _, ...rest } = grant;
              const { value: chosen } = currentTarget;
              onChange(chosen === '' ? rest : { ...rest, role: chosen as NonNullable<Grant['role']> });
            }}
          />
          {(venues.length > 0 || grant.venues !== undefined) && (
            <MultiSelect
              label={t('Venues of {name}', { name })}
              description={t('Empty: all of the app. With venues, only what belongs to them is seen and changed.')}
              data={venues.map(({ objectId, name: label }) => ({ value: objectId, label }))}
              value={[...(grant.venues ?? [])]}
              onChange={(chosen) => {
                const { venues: _, ...rest } = grant;
                onChange(chosen.length === 0 ? rest : { ...rest, venues: chosen });
              }}
              searchable
              hidePickedOptions
              clearable
            />
          )}
        </Stack>
      )}
    </Stack>
  );
}

/** `in 2 apps`, where it is not everywhere. */
export function reachWords(reach: Reach): string | undefined {
  if (reach === null) return undefined;
  if (reach.length === 0) return t('in no app yet');
  const some = reach.some(({ venues }) => venues !== undefined) ? t(', in part only chosen venues') : '';
  return t('in {count, plural, one {one app} other {{count} apps}}{some}', { count: reach.length, some });
}

export function reachNames(reach: Reach, nameOf: (appId: string) => string): string {
  if (reach === null) return t('In all apps, and for the service as a whole');
  if (reach.length === 0) return t('in no app yet');
  return listed(
    reach.map(({ appId, role, venues }) => {
      const name = nameOf(appId);
      const as = role ? inSentence(roleTexts[role].label) : undefined;
      if (as && venues) return t('{name} (as {role}, only chosen venues)', { name, role: as });
      if (as) return t('{name} (as {role})', { name, role: as });
      return venues ? t('{name} (only chosen venues)', { name }) : name;
    }),
  );
}

interface RoleProps {
  readonly fields: {
    readonly values: { readonly role: Role; readonly apps: Reach };
    set(name: 'role', value: Role): void;
    set(name: 'apps', value: Reach): void;
    problemWithin(name: string): string | undefined;
  };
}

export function RoleFields({ fields }: RoleProps) {
  const { values } = fields;
  return (
    <>
      <NativeSelect
        label={t('Role')}
        description={roleTexts[values.role].sentence}
        data={roleOptions}
        value={values.role}
        onChange={(event) => fields.set('role', event.currentTarget.value as Role)}
      />
      <ReachFields
        value={values.apps}
        role={values.role}
        error={fields.problemWithin('apps')}
        onChange={(apps) => fields.set('apps', apps)}
      />
    </>
  );
}
