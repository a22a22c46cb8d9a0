import { NativeSelect, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import type { Beacon, Body } from '@pharos/sdk';
import { useState } from 'react';
import { PageForm } from '../../components/form/page-form.tsx';
import { type Fields, useFields } from '../../components/form/use-fields.ts';
import { Block } from '../../components/page/block.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { dataOf } from '../../lib/data/api.ts';
import { type BeaconFields, beaconFieldNames, bodyOf, fieldsOf, sameIds } from './beacon-fields.ts';
import classes from './beacons.module.css';
import { DuplicateDialog } from './duplicate-dialog.tsx';
import { beaconKeys, findDuplicates } from './queries.ts';

interface Props {
  readonly appId: string;
  /** The beacon to edit; without it, a new one is created. */
  readonly beacon?: Beacon;
  readonly onDone: (beaconId: string) => void;
  readonly onCancel: () => void;
}

type CreateBody = Body<'createBeacon'>;
type Form = Fields<BeaconFields>;

/** Creates or edits a beacon. If another one sends the same identifiers, a dialog asks what to do. */
export function BeaconForm({ appId, beacon, onDone, onCancel }: Props) {
  const form = useFields<BeaconFields>(fieldsOf(beacon));
  const [twins, setTwins] = useState<readonly Beacon[]>([]);
  const save = useAction({
    run: ({ body, target, asksFirst }: { body: CreateBody; target: string | undefined; asksFirst: boolean }) =>
      saveBeacon(appId, body, { target, asksFirst, beacon }),
    done: (saved) => (saved.objectId ? `${form.values.name.trim()} is saved.` : undefined),
    undo: beacon && (() => restore(appId, beacon)),
    refresh: beaconKeys(appId),
    showsError: true,
    after: (saved) => (saved.objectId ? onDone(saved.objectId) : setTwins(saved.twins)),
  });
  function send(target: string | undefined, asksFirst: boolean) {
    setTwins([]);
    const draft = bodyOf(form.values, beacon);
    if ('problems' in draft) return form.setProblems(draft.problems);
    save.mutate({ body: draft.body, target, asksFirst }, { onError: form.setFailure });
  }
  return (
    <PageForm
      form={form}
      names={beaconFieldNames}
      submit={beacon ? 'Save' : 'Add the beacon'}
      isBusy={save.isPending}
      onSubmit={() => send(beacon?.objectId, true)}
      onCancel={onCancel}
    >
      <Identity form={form} />
      <Place form={form} />
      <Tuning form={form} />
      <DuplicateDialog
        twins={twins}
        isNew={beacon === undefined}
        name={form.values.name.trim()}
        onMove={(target) => send(target, false)}
        onKeepBoth={() => send(beacon?.objectId, false)}
        onClose={() => setTwins([])}
      />
    </PageForm>
  );
}

async function restore(appId: string, beacon: Beacon): Promise<void> {
  const before = bodyOf(fieldsOf(beacon), beacon);
  if ('body' in before) await dataOf(appId).beacons.update(beacon.objectId, before.body);
}

interface Saving {
  readonly target: string | undefined;
  readonly asksFirst: boolean;
  readonly beacon: Beacon | undefined;
}

interface Saved {
  readonly objectId?: string;
  readonly twins: readonly Beacon[];
}

async function saveBeacon(appId: string, body: CreateBody, { target, asksFirst, beacon }: Saving): Promise<Saved> {
  const isChanged = !beacon || !sameIds(beacon, body);
  if (asksFirst && isChanged && Number.isInteger(body.major) && Number.isInteger(body.minor)) {
    const twins = await findDuplicates(appId, body, beacon?.objectId);
    if (twins.length > 0) return { twins };
  }
  const { beacons } = dataOf(appId);
  if (target === undefined) return { objectId: (await beacons.create(body)).objectId, twins: [] };
  await beacons.update(target, body);
  return { objectId: target, twins: [] };
}

function Identity({ form }: { readonly form: Form }) {
  return (
    <Block
      title="Identifiers"
      about="UUID, major and minor together identify a beacon. They are printed on it or shown in the maker's app."
    >
      <Stack gap="md">
        <TextInput
          label="Name"
          description="The place, as people call it."
          required
          data-autofocus
          {...form.text('name')}
        />
        <TextInput
          label="UUID"
          description="With or without dashes, upper or lower case."
          required
          spellCheck={false}
          autoComplete="off"
          className={classes.monoInput}
          {...form.text('uuid')}
        />
        <div className={classes.fields}>
          <NumberInput label="Major" required allowDecimal={false} hideControls {...form.number('major')} />
          <NumberInput label="Minor" required allowDecimal={false} hideControls {...form.number('minor')} />
        </div>
      </Stack>
    </Block>
  );
}

function Place({ form }: { readonly form: Form }) {
  return (
    <Block title="Place" about="In metres on your floor plan. The map shows beacons that have a place.">
      <div className={classes.fields}>
        <NumberInput label="x" hideControls {...form.number('location.x')} />
        <NumberInput label="y" hideControls {...form.number('location.y')} />
        <TextInput label="Floor" placeholder="1, or ground" {...form.text('location.floor')} />
      </div>
    </Block>
  );
}

function Tuning({ form }: { readonly form: Form }) {
  return (
    <Block title="Tuning" about="Empty fields use the settings of the app.">
      <Stack gap="md">
        <div className={classes.fields}>
          <NumberInput label="Radius" description="Metres; 3 by default" hideControls {...form.number('radius')} />
          <NumberInput
            label="Measured power"
            description="dBm at one metre"
            hideControls
            {...form.number('measuredPower')}
          />
          <NativeSelect
            label="Sensitivity"
            description="Stable or fast"
            data={[
              { value: '', label: 'As set for the app' },
              { value: 'stable', label: 'Stable: few false events' },
              { value: 'fast', label: 'Fast: short visits count' },
            ]}
            {...form.text('sensitivity')}
          />
        </div>
        <Textarea
          label="Metadata"
          description="Any JSON object for your app."
          placeholder='{"greeting": "Welcome"}'
          autosize
          minRows={3}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          {...form.text('metadata')}
        />
      </Stack>
    </Block>
  );
}
