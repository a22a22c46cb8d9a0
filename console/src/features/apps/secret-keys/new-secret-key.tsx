import { Alert, MultiSelect, Radio, Stack, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyField } from '../../../components/code/copy-field.tsx';
import { SecretDialog, SecretShownOnce } from '../../../components/dialogs/shown-once.tsx';
import { DialogFields } from '../../../components/form/dialog-form.tsx';
import { useFields } from '../../../components/form/use-fields.ts';
import { CopyNote } from '../../../components/page/page-header.tsx';
import { useAction } from '../../../lib/actions/use-action.ts';
import { useMayCall } from '../../../lib/data/access.ts';
import { call } from '../../../lib/data/api.ts';
import { bucketsQuery, secretKeysQuery } from '../../../lib/data/queries.ts';
import { venueNamesQuery } from '../../../lib/data/venue-queries.ts';
import { gatewaysQuery } from '../../../lib/fleet/gateways.ts';
import { copyName } from '../../../lib/text/copy-name.ts';
import { useTimes } from '../../../lib/time/times.ts';
import { addDays, instantOf } from '../../../lib/time/zoned-time.ts';
import type { SecretKey } from '../../../lib/wire.ts';
import { listed, t } from '../../../lib/words/words.ts';
import { ScopePicker } from './scope-picker.tsx';
import {
  canTakeGateways,
  canTakeVenues,
  listensByVenue,
  purposes,
  scopesOf,
  type Ticked,
  tickedOf,
  withoutVenues,
} from './scopes.ts';

interface Props {
  readonly appId: string;
  /** The one to copy. */
  readonly model: SecretKey | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

interface Made {
  readonly appId: string;
  readonly secretKey: string;
}

export function NewSecretKeyDialog({ appId, model, isOpen, onClose }: Props) {
  const [made, setMade] = useState<Made>();
  return (
    <SecretDialog
      isOpen={isOpen}
      onClose={onClose}
      onClosed={() => setMade(undefined)}
      title={made ? t('The new secret key') : t('Make a secret key')}
      hasSecret={made !== undefined}
      isWide
    >
      {made ? (
        <SecretShownOnce
          warning={t(
            'The key is shown only now. Put it where the gateway or server keeps its settings, and never into an app or a web page.',
          )}
          stored={t('I have stored the key')}
          onClose={onClose}
        >
          <CopyField label={t('AppId')} text={made.appId} />
          <CopyField label={t('Secret key, sent as AppKey')} text={made.secretKey} />
        </SecretShownOnce>
      ) : (
        <KeyForm key={model?.keyId} appId={appId} model={model} onCancel={onClose} onMade={setMade} />
      )}
    </SecretDialog>
  );
}

interface FormValues {
  readonly name: string;
  readonly purpose: string;
  readonly scopes: Ticked;
  readonly buckets: readonly string[];
  readonly venues: readonly string[];
  readonly gateways: readonly string[];
  /** A day of the app's zone, or empty. */
  readonly expiresAt: string;
  readonly networks: string;
}

const first = purposes[0];
const empty: FormValues = {
  name: '',
  purpose: first?.value ?? '',
  scopes: first?.ticked ?? [],
  buckets: [],
  venues: [],
  gateways: [],
  expiresAt: '',
  networks: '',
};

/** The scopes of another key; secret and expiry are not copied. */
const copyOf = ({ name, scopes, networks }: SecretKey): FormValues => ({
  ...empty,
  name: copyName(name),
  purpose: 'own',
  scopes: tickedOf(scopes),
  buckets: [...new Set(scopes.flatMap(({ buckets = [] }) => buckets))],
  venues: [...new Set(scopes.flatMap(({ venues = [] }) => venues))],
  gateways: [...new Set(scopes.flatMap(({ gateways = [] }) => gateways))],
  networks: networks.join(', '),
});

interface FormProps {
  readonly appId: string;
  readonly model: SecretKey | undefined;
  readonly onCancel: () => void;
  readonly onMade: (made: Made) => void;
}

function KeyForm({ appId, model, onCancel, onMade }: FormProps) {
  const form = useFields<FormValues>(model ? copyOf(model) : empty);
  const { values, set } = form;
  const { zone } = useTimes(appId);
  const { data: buckets = [] } = useQuery(bucketsQuery(appId));
  const create = useAction({
    run: () => call('createSecretKey', { params: { appId }, body: bodyOf(values, zone) }),
    refresh: [secretKeysQuery(appId).queryKey],
    showsError: true,
    after: ({ result }) => onMade(result),
  });
  function choose(purpose: string) {
    const ticked = purposes.find(({ value }) => value === purpose)?.ticked ?? [];
    set('purpose', purpose);
    // Another choice starts from what was chosen before.
    if (ticked.length > 0) set('scopes', ticked);
  }
  function submit() {
    if (values.scopes.length === 0) form.setProblems([{ field: 'scopes', problem: t('tick at least one thing') }]);
    else if (values.venues.length > 0 && listensByVenue(values.scopes))
      form.setProblems([
        { field: 'venues', problem: t('“hear live” is for all venues. Untick it, or choose no venue') },
      ]);
    else create.mutate(undefined, { onError: form.setFailure });
  }
  return (
    <DialogFields
      form={form}
      names={['name', 'scopes', 'scopes.', 'venues', 'expiresAt', 'networks', 'networks.']}
      submit={t('Make the key')}
      isBusy={create.isPending}
      onSubmit={submit}
      onClose={onCancel}
      about={
        model && (
          <CopyNote>{t('The key itself and its last day are not copied: a new key is made, and shown once.')}</CopyNote>
        )
      }
    >
      <TextInput
        label={t('Name')}
        description={t('Who uses it. The log and the audit name it.')}
        placeholder={t('Gateway in the main hall')}
        data-autofocus
        required
        autoComplete="off"
        {...form.text('name')}
      />
      <Radio.Group
        label={t('What it may do')}
        value={values.purpose}
        error={form.problemWithin('scopes')}
        onChange={choose}
      >
        <Stack gap="sm" my="xs">
          {purposes.map(({ value, label, description }) => (
            <Radio key={value} value={value} label={label} description={description} />
          ))}
        </Stack>
      </Radio.Group>
      {values.purpose === 'own' && <ScopePicker ticked={values.scopes} onChange={(scopes) => set('scopes', scopes)} />}
      {values.purpose === 'own' && values.scopes.some((tick) => tick.startsWith('records:')) && (
        <MultiSelect
          label={t('Buckets')}
          description={t('Whose records it may deal with. Empty: those of all buckets.')}
          data={buckets.map(({ name }) => name)}
          value={[...values.buckets]}
          onChange={(chosen) => set('buckets', chosen)}
          searchable
          hidePickedOptions
          clearable
        />
      )}
      {canTakeVenues(values.scopes) && (
        <VenueField
          appId={appId}
          scopes={values.scopes}
          value={values.venues}
          error={form.problem('venues')}
          onChange={(venues) => set('venues', venues)}
        />
      )}
      {canTakeGateways(values.scopes) && (
        <GatewayField appId={appId} value={values.gateways} onChange={(gateways) => set('gateways', gateways)} />
      )}
      <TextInput
        label={t('Last day')}
        type="date"
        description={t('In {zone}. Empty: it counts until it is revoked.', { zone })}
        {...form.text('expiresAt')}
      />
      <TextInput
        label={t('Only from these networks')}
        description={t('Such as 192.0.2.0/24 or 2001:db8::/32, separated by commas. Empty: from everywhere.')}
        autoComplete="off"
        spellCheck={false}
        {...form.text('networks')}
        error={form.problemWithin('networks')}
      />
    </DialogFields>
  );
}

interface VenueProps {
  readonly appId: string;
  readonly scopes: Ticked;
  readonly value: readonly string[];
  readonly error: string | undefined;
  readonly onChange: (venues: readonly string[]) => void;
}

/** To which venues a key is limited, with what such a limit does not reach. An app without venues does not ask. */
function VenueField({ appId, scopes, value, error, onChange }: VenueProps) {
  const { data: venues = [] } = useQuery(venueNamesQuery(appId));
  if (venues.length === 0) return null;
  const free = value.length > 0 ? withoutVenues(scopes) : [];
  return (
    <Stack gap="xs">
      <MultiSelect
        label={t('Venues')}
        description={t('Empty: all of the app. With venues, only what belongs to them is seen and changed.')}
        data={venues.map(({ objectId, name }) => ({ value: objectId, label: name }))}
        value={[...value]}
        error={error}
        onChange={onChange}
        searchable
        hidePickedOptions
        clearable
      />
      {free.length > 0 && (
        <Alert color="yellow" p="xs">
          {t('Not limited by it, because it belongs to no venue: {list}.', { list: listed(free) })}
        </Alert>
      )}
    </Stack>
  );
}

interface GatewayProps {
  readonly appId: string;
  readonly value: readonly string[];
  readonly onChange: (gateways: readonly string[]) => void;
}

/** For which gateways a key is: then it cannot speak for others, nor for phones. */
function GatewayField({ appId, value, onChange }: GatewayProps) {
  const mayList = useMayCall()('listGateways');
  const { data: known = [] } = useQuery({ ...gatewaysQuery(appId), enabled: mayList });
  return (
    <TagsInput
      label={t('Only for these gateways')}
      description={t('By the names that they send. Empty: for all gateways, and for phones.')}
      data={known.map(({ gatewayId }) => gatewayId)}
      value={[...value]}
      onChange={onChange}
      splitChars={[',']}
      acceptValueOnBlur
      clearable
    />
  );
}

function bodyOf({ name, scopes, buckets, venues, gateways, expiresAt, networks }: FormValues, zone: string) {
  const list = networks.split(/[\s,;]+/).filter((network) => network !== '');
  return {
    name: name.trim(),
    scopes: scopesOf(scopes, { buckets, venues, gateways }),
    networks: list,
    ...(expiresAt === ''
      ? {}
      : { expiresAt: new Date(instantOf(`${addDays(expiresAt, 1)}T00:00`, zone)).toISOString() }),
  };
}
