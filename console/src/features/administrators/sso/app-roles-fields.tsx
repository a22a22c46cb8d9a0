import { Button, MultiSelect, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Icon } from '../../../components/page/blocks.tsx';
import { roleOptions } from '../../../lib/data/access.ts';
import { appsQuery } from '../../../lib/data/queries.ts';
import { venueNamesQuery } from '../../../lib/data/venue-queries.ts';
import type { SsoProvider } from '../../../lib/wire.ts';
import { t } from '../../../lib/words/words.ts';

/** Groups that have a role in an app only, or in venues of it. */
export type AppRoles = SsoProvider['appRoles'];
type AppRole = AppRoles[number];

interface Props {
  readonly value: AppRoles;
  /** Of the part of an entry with this name, such as `0.group`. */
  readonly problem: (name: string) => string | undefined;
  readonly onChange: (value: AppRoles) => void;
}

export function AppRolesFields({ value, problem, onChange }: Props) {
  const { data: apps = [] } = useQuery(appsQuery);
  const [first] = apps;
  return (
    <>
      {value.length > 0 && (
        <Stack component="ul" gap="1.5rem" mb="1rem" aria-label={t('Roles in some apps')}>
          {value.map((entry, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id, and every field is controlled
            <li key={at}>
              <Entry
                entry={entry}
                apps={apps}
                problem={(name) => problem(`${at}.${name}`)}
                onChange={(next) => onChange(value.flatMap((one, place) => (place === at ? (next ?? []) : one)))}
              />
            </li>
          ))}
        </Stack>
      )}
      {first && (
        <Button
          leftSection={<Icon name="plus" size={16} />}
          onClick={() => onChange([...value, { group: '', role: 'editor', appId: first.appId }])}
        >
          {t('Add a group')}
        </Button>
      )}
      {apps.length === 0 && <Text c="dimmed">{t('There is no app yet.')}</Text>}
    </>
  );
}

interface EntryProps {
  readonly entry: AppRole;
  readonly apps: readonly { readonly appId: string; readonly name: string }[];
  readonly problem: (name: string) => string | undefined;
  /** Undefined: it is removed. */
  readonly onChange: (next: AppRole | undefined) => void;
}

function Entry({ entry, apps, problem, onChange }: EntryProps) {
  const { group, role, appId, venues } = entry;
  const isKnown = apps.some((app) => app.appId === appId);
  const { data: known = [] } = useQuery({ ...venueNamesQuery(appId), enabled: isKnown });
  const { venues: _, ...whole } = entry;
  const appOptions = apps.map((app) => ({ value: app.appId, label: app.name }));
  return (
    <Stack gap="0.5rem" maw={560}>
      <TextInput
        label={t('Group')}
        required
        spellCheck={false}
        value={group}
        error={group === '' && problem('group') ? t('Fill this in.') : problem('group')}
        onChange={({ currentTarget }) => onChange({ ...entry, group: currentTarget.value })}
      />
      <NativeSelect
        label={t('Role')}
        data={roleOptions.filter(({ value }) => value !== 'owner')}
        value={role}
        error={problem('role')}
        onChange={({ currentTarget }) => onChange({ ...entry, role: currentTarget.value as AppRole['role'] })}
      />
      <NativeSelect
        label={t('App')}
        data={isKnown ? appOptions : [{ value: appId, label: t('A deleted app') }, ...appOptions]}
        value={appId}
        error={problem('appId')}
        onChange={({ currentTarget }) => onChange({ ...whole, appId: currentTarget.value })}
      />
      {(known.length > 0 || venues !== undefined) && (
        <MultiSelect
          label={t('Venues')}
          description={t('Empty: all of the app. With venues, only what belongs to them is seen and changed.')}
          data={known.map(({ objectId, name }) => ({ value: objectId, label: name }))}
          value={[...(venues ?? [])]}
          error={problem('venues')}
          onChange={(chosen) => onChange(chosen.length === 0 ? whole : { ...whole, venues: chosen })}
          searchable
          hidePickedOptions
          clearable
        />
      )}
      <div>
        <Button size="xs" onClick={() => onChange(undefined)}>
          {group === '' ? t('Remove') : t('Remove {name}', { name: group })}
        </Button>
      </div>
    </Stack>
  );
}
