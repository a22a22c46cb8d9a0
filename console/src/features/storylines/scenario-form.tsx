import { NativeSelect, SegmentedControl, Stack, Textarea, TextInput } from '@mantine/core';
import type { Body, StorylineDetail } from '@pharos/sdk';
import { FileField } from '../../components/files/file-field.tsx';
import { BeaconSelect } from '../../components/form/beacon-select.tsx';
import { PageForm } from '../../components/form/page-form.tsx';
import type { Fields } from '../../components/form/use-fields.ts';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { MessageLayout } from '../../components/message/message-layout.tsx';
import { MessageRules } from '../../components/message/message-rules.tsx';
import { BeaconNames } from '../../components/page/beacon-names.tsx';
import { Block } from '../../components/page/block.tsx';
import type { ShownDay } from '../../components/rules/days.ts';
import { eventOptions, eventTexts } from '../../components/rules/rules.ts';
import { dataOf } from '../../lib/data/api.ts';
import { scenarioKeys } from './queries.ts';
import { ScenarioAside } from './scenario-aside.tsx';
import {
  campaignTexts,
  type ScenarioFields,
  scenarioBody,
  scenarioFieldNames,
  scenarioFields,
  scenarioLabels,
} from './scenario-fields.ts';
import { WeekGrid } from './week-grid.tsx';

interface Props {
  readonly appId: string;
  readonly storylineId: string;
  readonly storyline: { readonly title: string; readonly isEnabled: boolean };
  /** The scenario to edit; without it, a new one is created. */
  readonly scenario?: StorylineDetail;
  /** The scenario that a new one starts as a copy of. */
  readonly model?: StorylineDetail;
  readonly isLocked?: boolean;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

type Form = Fields<ScenarioFields>;

export function ScenarioForm(props: Props) {
  const { appId, storylineId, storyline, scenario, model, isLocked = false, onDone, onCancel } = props;
  const { storylines } = dataOf(appId);
  const id = scenario?.objectId ?? '';
  const shared = useRecordForm<StorylineDetail, ScenarioFields, object>({
    name: `scenario ${id || `new ${storylineId} ${model?.objectId ?? ''}`}`,
    record: scenario,
    start: scenarioFields(model),
    fieldsOf: scenarioFields,
    bodyOf: (fields, known) => scenarioBody(fields, known === undefined),
    check: ({ beacons }) => (beacons.length === 0 ? [{ field: 'beacons', problem: 'choose at least one beacon' }] : []),
    read: () => storylines.getDetail(storylineId, id),
    change: (members, ifMatch) => storylines.updateDetail(storylineId, id, members, { ifMatch }),
    create: (body) => storylines.createDetail(storylineId, body as Body<'createStorylineDetail'>),
    done: 'The scenario is saved.',
    refresh: scenarioKeys(appId),
    after: onDone,
    labels: scenarioLabels,
    show: {
      beacons: (ids: readonly string[]) => <BeaconNames appId={appId} beaconIds={ids} />,
      event: (event: StorylineDetail['event']) => eventTexts[event].verb,
      campaign: (campaign: StorylineDetail['campaign']) => campaignTexts[campaign].label,
      showOn: (days: readonly ShownDay[]) => days.flatMap((day) => (day.checked ? [day.dayName] : [])).join(', '),
    },
  });
  const { form, submit, isBusy } = shared;
  return (
    <MessageLayout aside={<ScenarioAside appId={appId} storyline={storyline} fields={form.values} />}>
      <PageForm
        form={form}
        names={scenarioFieldNames}
        submit={scenario ? 'Save' : 'Add the scenario'}
        isBusy={isBusy}
        shared={shared}
        isLocked={isLocked}
        onSubmit={submit}
        onCancel={onCancel}
      >
        <MessageLayout.Fields isLocked={isLocked}>
          <Occasion appId={appId} form={form} />
          <Content appId={appId} form={form} />
          <MessageRules appId={appId} form={form} onChange={(delivery) => form.set('delivery', delivery)} />
        </MessageLayout.Fields>
      </PageForm>
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
          description="The message is shown at each of them."
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
        <TextInput
          label="Title"
          description="Without one, the title of the storyline is shown."
          {...form.text('alertTitle')}
        />
        <Textarea label="Text" autosize minRows={2} maxRows={8} {...form.text('alertMessage')} />
        {values.campaign === 'VIDEO' && file('urlVideo', 'Video', 'Upload one, choose a file, or enter an address.')}
        <TextInput
          label="Page"
          description="What a tap opens."
          placeholder="https://"
          type="url"
          {...form.text('urlPage')}
        />
        {file('urlImageIOS', 'Picture on iPhones', 'Without one, the picture for Android is shown.')}
        {file('urlImageAndroid', 'Picture on Android', 'Without one, the picture for iPhones is shown.')}
      </Stack>
    </Block>
  );
}
