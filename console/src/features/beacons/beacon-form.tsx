import { Alert, Button, Group, NativeSelect, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import type { Beacon, Body } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { PageForm } from '../../components/form/page-form.tsx';
import type { Fields } from '../../components/form/use-fields.ts';
import { type RecordFormProps, type SavedRecord, useRecordForm } from '../../components/form/use-record-form.ts';
import { Block } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { dataOf } from '../../lib/data/api.ts';
import { venueNamesQuery } from '../../lib/data/venue-queries.ts';
import { copyName } from '../../lib/text/copy-name.ts';
import { newUuid, uuidWarning } from '../../lib/text/uuid.ts';
import { t } from '../../lib/words/words.ts';
import { type BeaconFields, beaconLabels, fieldsOf, problemsOf, wholeBody } from './beacon-fields.ts';
import type { BeaconPlace } from './beacon-place.ts';
import classes from './beacons.module.css';
import { DuplicateDialog } from './duplicate-dialog.tsx';
import { beaconKeys, findDuplicates } from './queries.ts';
import { identityIn } from './replace/identity.ts';

interface Props extends RecordFormProps<Beacon> {
  /** Where a new one is put. */
  readonly place?: BeaconPlace;
}

type CreateBody = Body<'createBeacon'>;
type Form = Fields<BeaconFields>;

/** Another beacon of the same make: its identifiers and its place are not copied. */
const copyOf = (model: Beacon): BeaconFields => ({
  ...fieldsOf(model),
  name: copyName(model.name),
  minor: '',
  'location.x': '',
  'location.y': '',
  'location.floor': '',
});

/** A new one at a place on the plan of a floor. */
const placedAt = ({ venueId, level, x, y }: BeaconPlace): BeaconFields => ({
  ...fieldsOf(),
  venueId,
  'location.x': x,
  'location.y': y,
  'location.floor': String(level),
});

/**
 * Creates or edits a beacon. If another one sends the same identifiers as a new one, a dialog asks what to do; those of a known
 * beacon change where its tag is replaced.
 */
export function BeaconForm({ appId, record: beacon, model, place, onDone, onCancel }: Props) {
  const { beacons } = dataOf(appId);
  const id = beacon?.objectId ?? '';
  const [twins, setTwins] = useState<readonly Beacon[]>([]);
  const shared = useRecordForm<Beacon, BeaconFields, SavedRecord>({
    name: `beacon ${id || `new ${appId}`}`,
    record: beacon,
    ...(model ? { start: copyOf(model) } : place ? { start: placedAt(place) } : {}),
    fieldsOf,
    bodyOf: wholeBody,
    check: (fields) => problemsOf(fields),
    read: () => beacons.get(id),
    change: (members, ifMatch) => beacons.update(id, members, { ifMatch }),
    create: (body, again) => beacons.create(body as CreateBody, again),
    done: (fields) => t('{name} is saved.', { name: fields.name.trim() }),
    refresh: beaconKeys(appId),
    after: (saved) => onDone(saved?.objectId ?? id),
    labels: beaconLabels,
  });
  const { form, submit } = shared;
  const name = form.values.name.trim();
  const search = useAction({
    // What was sent before has been asked about, and may be the twin that would be found.
    run: async () => (form.wasSent(wholeBody(form.current())) ? [] : await findTwins(appId, form.current())),
    showsError: true,
    after: (found) => (found.length > 0 ? setTwins(found) : submit()),
  });
  const move = useAction({
    run: (target: string) => beacons.update(target, wholeBody(form.current()) as CreateBody),
    done: t('{name} is saved.', { name }),
    refresh: beaconKeys(appId),
    showsError: true,
    after: (_, target) => {
      form.rebase(form.current());
      onDone(target);
    },
  });
  function begin() {
    const problems = problemsOf(form.current());
    if (problems.length > 0) form.setProblems(problems);
    else if (beacon) submit();
    else search.mutate(undefined, { onError: form.setFailure });
  }
  return (
    <PageForm
      shared={shared}
      submit={beacon ? t('Save') : t('Add the beacon')}
      isBusy={search.isPending || move.isPending || shared.isBusy}
      onSubmit={begin}
      onCancel={onCancel}
    >
      <Place appId={appId} form={form}>
        <TextInput
          label={t('Name')}
          description={t('The place, as people call it.')}
          required
          data-autofocus
          {...form.text('name')}
        />
      </Place>
      {!beacon && <Identity form={form} />}
      <Tuning form={form} />
      <DuplicateDialog
        twins={twins}
        name={name}
        onMove={(target) => {
          setTwins([]);
          move.mutate(target, { onError: form.setFailure });
        }}
        onKeepBoth={() => {
          setTwins([]);
          submit();
        }}
        onClose={() => setTwins([])}
      />
    </PageForm>
  );
}

async function findTwins(appId: string, fields: BeaconFields): Promise<readonly Beacon[]> {
  const body = wholeBody(fields) as CreateBody;
  if (!Number.isInteger(body.major) || !Number.isInteger(body.minor)) return [];
  return findDuplicates(appId, body);
}

function Identity({ form }: { readonly form: Form }) {
  return (
    <Block
      title={t('Identifiers')}
      about={t("UUID, major and minor together identify a beacon. They are printed on it or shown in the maker's app.")}
    >
      <Stack gap="md">
        <TextInput
          label={t('UUID')}
          description={t('You can paste all three here.')}
          required
          spellCheck={false}
          autoComplete="off"
          className={classes.monoInput}
          {...form.text('uuid')}
          onChange={({ currentTarget: { value } }) => form.setAll(identityIn(value) ?? { uuid: value })}
        />
        <UuidHelp form={form} />
        <div className={classes.fields}>
          <NumberInput label={t('Major')} required allowDecimal={false} hideControls {...form.number('major')} />
          <NumberInput label={t('Minor')} required allowDecimal={false} hideControls {...form.number('minor')} />
        </div>
      </Stack>
    </Block>
  );
}

/** Warns of a text that is no UUID, and makes one. */
function UuidHelp({ form }: { readonly form: Form }) {
  const { uuid } = form.values;
  const warning = uuidWarning(uuid);
  if (warning === undefined) return null;
  const make = (
    <Button size="xs" onClick={() => form.set('uuid', newUuid())}>
      {t('Make a UUID')}
    </Button>
  );
  if (uuid.trim() === '') return <Group>{make}</Group>;
  return (
    <Alert color="yellow" p="xs" role="status">
      <Group justify="space-between" gap="xs">
        <span>{warning}</span>
        {make}
      </Group>
    </Alert>
  );
}

interface PlaceProps {
  readonly appId: string;
  readonly form: Form;
  readonly children: ReactNode;
}

function Place({ appId, form, children }: PlaceProps) {
  const { data: venues = [], isPending } = useQuery(venueNamesQuery(appId));
  return (
    <Block
      title={t('Place')}
      about={t(
        'Where it is on the plan of its floor. It is easier to drag it there: add it without a place, then put it on the plan under Venues.',
      )}
    >
      {children}
      <div className={`${classes.fields} ${classes.below}`}>
        <NumberInput label={t('Metres from the left')} hideControls {...form.number('location.x')} />
        <NumberInput label={t('Metres from the top')} hideControls {...form.number('location.y')} />
        <TextInput label={t('Floor')} placeholder={t('0 for the ground floor')} {...form.text('location.floor')} />
      </div>
      {(isPending || venues.length > 0 || form.values.venueId !== '') && (
        <NativeSelect
          mt="md"
          label={t('Venue')}
          description={t('Its hours and time zone count for messages at this beacon. The zone follows from the place.')}
          data={[
            { value: '', label: t('None') },
            ...venues.map(({ objectId, name }) => ({ value: objectId, label: name })),
          ]}
          {...form.text('venueId')}
        />
      )}
    </Block>
  );
}

function Tuning({ form }: { readonly form: Form }) {
  return (
    <Block title={t('Tuning')} about={t('Empty fields use the settings of the app.')}>
      <Stack gap="md">
        <div className={classes.fields}>
          <NumberInput
            label={t('Radius')}
            description={t('Metres; 3 by default')}
            hideControls
            {...form.number('radius')}
          />
          <NumberInput
            label={t('Measured power')}
            description={t('dBm at one metre')}
            hideControls
            {...form.number('measuredPower')}
          />
          <NativeSelect
            label={t('Sensitivity')}
            description={t('Stable or fast')}
            data={[
              { value: '', label: t('As set for the app') },
              { value: 'stable', label: t('Stable: few false events') },
              { value: 'fast', label: t('Fast: short visits count') },
            ]}
            {...form.text('sensitivity')}
          />
        </div>
        <Textarea
          label={t('Metadata')}
          description={t('Any JSON object for your app.')}
          placeholder='{"greeting": "Welcome"}'
          minRows={3}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          {...form.text('metadata')}
        />
      </Stack>
    </Block>
  );
}
