import { Button, Group, NativeSelect, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import type { Beacon, Body } from '@pharos/sdk';
import { type FormEvent, useState } from 'react';
import { useFields } from '../../components/form/use-fields.ts';
import { Block } from '../../components/page/block.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { dataOf } from '../../lib/data/api.ts';
import { type BeaconFields, bodyOf, fieldNames, fieldsOf, sameIds } from './beacon-fields.ts';
import classes from './beacons.module.css';
import { DuplicateDialog } from './duplicate-dialog.tsx';
import { beaconKeys, findDuplicates } from './queries.ts';

interface Props {
  readonly appId: string;
  /** The one to change; without it a new one is made. */
  readonly beacon?: Beacon;
  readonly onDone: (beaconId: string) => void;
  readonly onCancel: () => void;
}

type CreateBody = Body<'createBeacon'>;
type Form = ReturnType<typeof useFields<BeaconFields>>;

/** Saves, or says that there is such a beacon already and leaves the choice to the person. */
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
  function submit(event: FormEvent) {
    event.preventDefault();
    send(beacon?.objectId, true);
  }
  return (
    <form onSubmit={submit} noValidate>
      <FailureNote message={form.rest(fieldNames)} />
      <Identity form={form} />
      <Place form={form} />
      <Tuning form={form} />
      <Group mt="lg">
        <Button type="submit" loading={save.isPending}>
          {beacon ? 'Save' : 'Add the beacon'}
        </Button>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </Group>
      <DuplicateDialog
        twins={twins}
        isNew={beacon === undefined}
        name={form.values.name.trim()}
        onMove={(target) => send(target, false)}
        onKeepBoth={() => send(beacon?.objectId, false)}
        onClose={() => setTwins([])}
      />
    </form>
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
      title="What it sends"
      about="The three together tell one beacon from another. They are printed on it, or in the maker's app."
    >
      <Stack gap="md">
        <TextInput
          label="Name"
          description="For people: the place where it is."
          required
          data-autofocus
          {...form.text('name')}
        />
        <TextInput
          label="UUID"
          description="With or without dashes, in any case."
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
    <Block title="Where it is" about="Metres on your plan. The map shows beacons that have a place.">
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
    <Block title="How it is weighed" about="Leave these empty, and the app's own settings hold.">
      <Stack gap="md">
        <div className={classes.fields}>
          <NumberInput label="Radius" description="Metres; 3 unless set" hideControls {...form.number('radius')} />
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
              { value: '', label: 'As the app says' },
              { value: 'stable', label: 'Stable: few false events' },
              { value: 'fast', label: 'Fast: short passes count' },
            ]}
            {...form.text('sensitivity')}
          />
        </div>
        <Textarea
          label="Metadata"
          description="Any JSON object that your app wants to find here."
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
