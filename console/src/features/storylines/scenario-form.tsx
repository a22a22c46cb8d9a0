import { Button, Group, NativeSelect, SegmentedControl, Stack, Textarea, TextInput } from '@mantine/core';
import type { StorylineDetail } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { FileField } from '../../components/files/file-field.tsx';
import { BeaconSelect } from '../../components/form/beacon-select.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import { MessageLayout } from '../../components/message/message-layout.tsx';
import { Block } from '../../components/page/block.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { RuleFields } from '../../components/rules/rule-fields.tsx';
import { appRules, eventOptions } from '../../components/rules/rules.ts';
import { useAction } from '../../lib/actions/use-action.ts';
import { dataOf } from '../../lib/data/api.ts';
import { appQuery } from '../../lib/data/queries.ts';
import { useTimes } from '../../lib/time/times.ts';
import { scenarioKeys } from './queries.ts';
import { ScenarioAside } from './scenario-aside.tsx';
import { bodyOf, campaignTexts, fieldNames, fieldsOf, type ScenarioFields } from './scenario-fields.ts';
import { WeekGrid } from './week-grid.tsx';

interface Props {
  readonly appId: string;
  readonly storylineId: string;
  readonly storyline: { readonly title: string; readonly isEnabled: boolean };
  /** The one to change; without it a new one is made. */
  readonly scenario?: StorylineDetail;
  /** What a new one begins as. */
  readonly model?: StorylineDetail;
  readonly isLocked?: boolean;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

type Form = ReturnType<typeof useFields<ScenarioFields>>;

export function ScenarioForm(props: Props) {
  const { appId, storylineId, storyline, scenario, model, isLocked = false, onDone, onCancel } = props;
  const form = useFields<ScenarioFields>(fieldsOf(scenario ?? model));
  const save = useAction({
    run: async () => {
      const { storylines } = dataOf(appId);
      const body = bodyOf(form.values, scenario === undefined);
      if (scenario) await storylines.updateDetail(storylineId, scenario.objectId, body);
      else await storylines.createDetail(storylineId, body);
    },
    done: 'The scenario is saved.',
    undo:
      scenario &&
      (() => {
        const before = bodyOf(fieldsOf(scenario), false);
        return dataOf(appId).storylines.updateDetail(storylineId, scenario.objectId, before);
      }),
    refresh: scenarioKeys(appId),
    showsError: true,
    after: onDone,
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    if (form.values.beacons.length === 0)
      form.setProblems([{ field: 'beacons', problem: 'choose at least one beacon' }]);
    else save.mutate(undefined, { onError: form.setFailure });
  }
  return (
    <MessageLayout aside={<ScenarioAside appId={appId} storyline={storyline} fields={form.values} />}>
      <form onSubmit={submit} noValidate>
        <FailureNote message={form.rest(fieldNames)} />
        <MessageLayout.Fields isLocked={isLocked}>
          <Occasion appId={appId} form={form} />
          <Content appId={appId} form={form} />
          <Rules appId={appId} form={form} />
        </MessageLayout.Fields>
        <Group mt="lg">
          {!isLocked && (
            <Button type="submit" loading={save.isPending}>
              {scenario ? 'Save' : 'Add the scenario'}
            </Button>
          )}
          <Button variant="default" onClick={onCancel}>
            {isLocked ? 'Back' : 'Cancel'}
          </Button>
        </Group>
      </form>
    </MessageLayout>
  );
}

interface PartProps {
  readonly appId: string;
  readonly form: Form;
}

function Occasion({ appId, form }: PartProps) {
  return (
    <Block title="When">
      <Stack gap="md">
        <NativeSelect label="A visitor" data={eventOptions} {...form.text('event')} />
        <BeaconSelect
          appId={appId}
          many
          label="Beacons"
          description="It happens at each of them."
          value={form.values.beacons}
          error={form.problemWithin('beacons')}
          onChange={(beacons) => form.set('beacons', beacons)}
        />
        <WeekGrid
          value={form.values.showOn}
          error={form.problemWithin('showOn')}
          onChange={(showOn) => form.set('showOn', showOn)}
        />
      </Stack>
    </Block>
  );
}

function Content({ appId, form }: PartProps) {
  const { values } = form;
  const file = (name: 'urlImageIOS' | 'urlImageAndroid' | 'urlVideo', label: string, description: string) => (
    <FileField
      appId={appId}
      kind={name === 'urlVideo' ? 'video' : 'image'}
      label={label}
      description={description}
      value={values[name]}
      error={form.problem(name)}
      onChange={(address) => form.set(name, address)}
    />
  );
  return (
    <Block title="What visitors see">
      <Stack gap="md">
        <SegmentedControl
          aria-label="Campaign"
          data={Object.entries(campaignTexts).map(([value, { label }]) => ({ value, label }))}
          value={values.campaign}
          onChange={(value) => form.set('campaign', value as ScenarioFields['campaign'])}
        />
        <TextInput label="Title" description="Without one, the storyline's title." {...form.text('alertTitle')} />
        <Textarea label="Text" autosize minRows={2} maxRows={8} {...form.text('alertMessage')} />
        {values.campaign === 'VIDEO' && file('urlVideo', 'Video', 'Upload one, choose a file, or enter an address.')}
        <TextInput
          label="Page"
          description="What a tap opens."
          placeholder="https://"
          type="url"
          {...form.text('urlPage')}
        />
        {file('urlImageIOS', 'Picture on iPhones', 'Without one, that for Android.')}
        {file('urlImageAndroid', 'Picture on Android', 'Without one, that for iPhones.')}
      </Stack>
    </Block>
  );
}

function Rules({ appId, form }: PartProps) {
  const { data: app } = useQuery(appQuery(appId));
  const times = useTimes(appId);
  return (
    <Block
      title="How often"
      about="What the app's rules say holds for every message. Here you can say otherwise for this one."
    >
      <RuleFields
        value={form.values.delivery}
        app={appRules(app?.policy)}
        times={times}
        problem={(name) => form.problemWithin(`delivery.${name}`)}
        onChange={(delivery) => form.set('delivery', delivery)}
      />
    </Block>
  );
}
