import { NativeSelect, SegmentedControl, Stack, Textarea, TextInput } from '@mantine/core';
import type { Body, StorylineDetail } from '@pharos/sdk';
import { FileField } from '../../components/files/file-field.tsx';
import { BeaconSelect } from '../../components/form/beacon-select.tsx';
import { PageForm } from '../../components/form/page-form.tsx';
import type { Fields } from '../../components/form/use-fields.ts';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { drawn } from '../../components/message/effects.ts';
import { LanguageBlock } from '../../components/message/language-block.tsx';
import { MessageEffects } from '../../components/message/message-effects.tsx';
import { MessageLayout } from '../../components/message/message-layout.tsx';
import { MessageRules } from '../../components/message/message-rules.tsx';
import { PastTrial } from '../../components/message/past-trial.tsx';
import { labelOfPart, translationParts } from '../../components/message/translation-parts.ts';
import { BeaconNames } from '../../components/names/beacon-names.tsx';
import { Block } from '../../components/page/block.tsx';
import type { ShownDay } from '../../components/rules/days.ts';
import { eventOptions, eventTexts } from '../../components/rules/rules.ts';
import { dataOf } from '../../lib/data/api.ts';
import { t } from '../../lib/words/words.ts';
import { scenarioKeys } from './queries.ts';
import { ScenarioAside } from './scenario-aside.tsx';
import {
  campaignTexts,
  type ScenarioFields,
  scenarioBody,
  scenarioFieldNames,
  scenarioFields,
  scenarioLabels,
  scenarioProblems,
  translatedFields,
} from './scenario-fields.ts';
import { useScenarioStop } from './scenario-stop.ts';
import { WeekGrid } from './week-grid.tsx';
import { ZoneBeacons } from './zone-beacons.tsx';

/** The values of fields in words. */
export const showScenario = (appId: string) => ({
  beacons: (ids: readonly string[]) => <BeaconNames appId={appId} beaconIds={ids} />,
  event: (event: StorylineDetail['event']) => eventTexts[event].verb,
  campaign: (campaign: StorylineDetail['campaign']) => campaignTexts[campaign].label,
  showOn: (days: readonly ShownDay[]) => days.flatMap((day) => (day.checked ? [day.dayName] : [])).join(', '),
});

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
    check: scenarioProblems,
    stop: useScenarioStop(appId, storyline),
    read: () => storylines.getDetail(storylineId, id),
    change: (members, ifMatch) => storylines.updateDetail(storylineId, id, members, { ifMatch }),
    create: (body, again) => storylines.createDetail(storylineId, body as Body<'createStorylineDetail'>, again),
    done: t('The scenario is saved.'),
    refresh: scenarioKeys(appId),
    after: onDone,
    parts: translationParts<ScenarioFields>(),
    labels: labelOfPart(scenarioLabels, translatedFields),
    show: showScenario(appId),
  });
  const { form, submit, isBusy } = shared;
  return (
    <MessageLayout aside={<ScenarioAside appId={appId} storyline={storyline} fields={form.values} />}>
      <PageForm
        form={form}
        names={scenarioFieldNames}
        submit={scenario ? t('Save') : t('Add the scenario')}
        isBusy={isBusy}
        shared={shared}
        isLocked={isLocked}
        onSubmit={submit}
        onCancel={onCancel}
      >
        <MessageLayout.Fields isLocked={isLocked}>
          <Occasion appId={appId} form={form} />
          <Content appId={appId} form={form} />
          <LanguageBlock
            appId={appId}
            value={form.values}
            fields={translatedFields}
            own={form.values as unknown as Readonly<Record<string, string>>}
            problem={(name) => form.problem(name)}
            onChange={form.setAll}
          />
          <MessageRules appId={appId} form={form} onChange={(delivery) => form.set('delivery', delivery)} />
          <MessageEffects
            appId={appId}
            values={form.values}
            problem={form.problem}
            onChange={(name, value) => form.set(name, value as never)}
          />
          <PastTrial
            appId={appId}
            triggerId={scenario?.objectId}
            draft={{
              beacons: [...form.values.beacons],
              event: form.values.event,
              showOn: [...form.values.showOn],
              delivery: form.values.delivery,
              ...drawn(form.values),
            }}
          />
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
    <Block title={t('When')}>
      <Stack gap="md">
        <NativeSelect label={t('A visitor')} data={eventOptions} {...form.text('event')} />
        <BeaconSelect
          appId={appId}
          many
          label={t('Beacons')}
          description={t('The message is shown at each of them.')}
          value={form.values.beacons}
          error={form.problemWithin('beacons')}
          onChange={(beacons) => form.set('beacons', beacons)}
        />
        <ZoneBeacons
          appId={appId}
          onAdd={(ids) => form.set('beacons', [...new Set([...form.current().beacons, ...ids])])}
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
    <Block title={t('What visitors see')}>
      <Stack gap="md">
        <SegmentedControl
          aria-label={t('Campaign')}
          data={Object.entries(campaignTexts).map(([value, { label }]) => ({ value, label }))}
          value={values.campaign}
          onChange={(value) => form.set('campaign', value as ScenarioFields['campaign'])}
        />
        <TextInput
          label={t('Title')}
          description={t(
            'Without one, the title of the storyline is shown. A message of text needs a title or a text.',
          )}
          {...form.text('alertTitle')}
        />
        <Textarea
          label={t('Text')}
          autosize
          minRows={2}
          maxRows={8}
          {...form.text('alertMessage')}
          onChange={({ currentTarget }) => {
            form.set('alertMessage', currentTarget.value);
            // With words, the title is no longer missing.
            form.forgive('alertTitle');
          }}
        />
        {values.campaign === 'VIDEO' &&
          file('urlVideo', t('Video'), t('Upload one, choose a file, or enter an address.'))}
        <TextInput
          label={t('Page')}
          description={t('What a tap opens.')}
          placeholder="https://"
          type="url"
          {...form.text('urlPage')}
        />
        {file('urlImageIOS', t('Picture on iPhones'), t('Without one, the picture for Android is shown.'))}
        {file('urlImageAndroid', t('Picture on Android'), t('Without one, the picture for iPhones is shown.'))}
      </Stack>
    </Block>
  );
}
