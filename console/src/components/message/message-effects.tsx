import {
  ActionIcon,
  Button,
  Group,
  NativeSelect,
  NumberInput,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { where } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { dataOf } from '../../lib/data/api.ts';
import { dataKey } from '../../lib/data/listed.ts';
import { bucketsQuery } from '../../lib/data/queries.ts';
import { t } from '../../lib/words/words.ts';
import { BeaconSelect } from '../form/beacon-select.tsx';
import { Block } from '../page/block.tsx';
import { Icon } from '../page/icon.tsx';
import { eventOptions } from '../rules/rules.ts';
import {
  type EffectFields,
  firstVariants,
  type Goal,
  type GoalKind,
  goalKind,
  goalKinds,
  newGoal,
  type Variant,
} from './effects.ts';
import classes from './message-effects.module.css';

interface Props {
  readonly appId: string;
  readonly values: EffectFields;
  readonly problem: (name: string) => string | undefined;
  readonly onChange: <Name extends keyof EffectFields>(name: Name, value: EffectFields[Name]) => void;
}

/** What a message is for, and what is tried to find out whether it does that. */
export function MessageEffects({ appId, values, problem, onChange }: Props) {
  return (
    <Block
      title={t('Does it help?')}
      about={t(
        'Say what visitors are to do after the message, and the page Activity → Messages tells how many do. To know whether the message is the reason, let some visitors get nothing.',
      )}
    >
      <Stack gap="lg">
        <GoalFields appId={appId} goal={values.goal} problem={problem} onChange={(goal) => onChange('goal', goal)} />
        <Holdout
          value={values.holdout}
          problem={problem('holdout')}
          onChange={(percent) => onChange('holdout', percent)}
        />
        <VariantFields
          variants={values.variants}
          problem={problem}
          onChange={(variants) => onChange('variants', variants)}
        />
      </Stack>
    </Block>
  );
}

interface GoalProps {
  readonly appId: string;
  readonly goal: Goal | null;
  readonly problem: (name: string) => string | undefined;
  readonly onChange: (goal: Goal | null) => void;
}

function GoalFields({ appId, goal, problem, onChange }: GoalProps) {
  const kind = goalKind(goal);
  const set = (change: Partial<Goal>) => goal && onChange({ ...goal, ...change });
  return (
    <>
      <NativeSelect
        label={t('Goal')}
        description={t('What a visitor does who has taken the message to heart.')}
        data={Object.entries(goalKinds).map(([value, label]) => ({ value, label }))}
        value={kind}
        error={problem('goal')}
        onChange={({ currentTarget }) => onChange(newGoal(currentTarget.value as GoalKind, goal?.withinHours ?? 24))}
      />
      {goal && (kind === 'beacon' || kind === 'event') && (
        <BeaconSelect
          appId={appId}
          label={t('Beacon of the goal')}
          value={goal.beaconId ? [goal.beaconId] : []}
          error={problem('goal.beaconId')}
          onChange={([beaconId = '']) => set({ beaconId })}
        />
      )}
      {goal && kind === 'event' && (
        <NativeSelect
          label={t('What happens there')}
          data={eventOptions}
          value={goal.event ?? 'ENTER'}
          onChange={({ currentTarget }) => set({ event: currentTarget.value as NonNullable<Goal['event']> })}
        />
      )}
      {goal && kind === 'zone' && (
        <PlaceSelect
          appId={appId}
          of="zones"
          value={goal.zoneId}
          problem={problem('goal.zoneId')}
          onChange={(zoneId) => set({ zoneId })}
        />
      )}
      {goal && kind === 'venue' && (
        <PlaceSelect
          appId={appId}
          of="venues"
          value={goal.venueId}
          problem={problem('goal.venueId')}
          onChange={(venueId) => set({ venueId })}
        />
      )}
      {goal && kind === 'record' && (
        <BucketSelect
          appId={appId}
          value={goal.bucket}
          problem={problem('goal.bucket')}
          onChange={(bucket) => set({ bucket })}
        />
      )}
      {goal && (
        <NumberInput
          label={t('Within how many hours')}
          description={t('Counted from the first time that the visitor gets the message.')}
          min={1}
          max={2160}
          allowDecimal={false}
          value={goal.withinHours}
          error={problem('goal.withinHours')}
          onChange={(hours) => set({ withinHours: Number(hours) })}
        />
      )}
    </>
  );
}

interface ChoiceProps {
  readonly appId: string;
  readonly value: string | undefined;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

function PlaceSelect({ appId, of, value = '', problem, onChange }: ChoiceProps & { readonly of: 'zones' | 'venues' }) {
  const { data } = useQuery({
    queryKey: dataKey(appId, of === 'zones' ? 'listZones' : 'listVenues', 'choice'),
    queryFn: async () => (await dataOf(appId)[of].list({ where: where(), order: 'name', limit: 1000 })).results,
  });
  const found = (data ?? []).map(({ objectId, name }) => ({ value: objectId, label: name }));
  return (
    <NativeSelect
      label={of === 'zones' ? t('Zone of the goal') : t('Venue of the goal')}
      data={[{ value: '', label: t('Choose one') }, ...found]}
      value={value}
      error={problem}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

function BucketSelect({ appId, value = '', problem, onChange }: ChoiceProps) {
  const { data } = useQuery(bucketsQuery(appId));
  return (
    <NativeSelect
      label={t('Bucket of the goal')}
      description={t("A record counts if its createdBy or its installationId is the visitor's.")}
      data={[{ value: '', label: t('Choose one') }, ...(data ?? []).map(({ name }) => ({ value: name, label: name }))]}
      value={value}
      error={problem}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

interface HoldoutProps {
  readonly value: number | null;
  readonly problem: string | undefined;
  readonly onChange: (percent: number | null) => void;
}

function Holdout({ value, problem, onChange }: HoldoutProps) {
  return (
    <>
      <Switch
        label={t('Some visitors get nothing, to compare')}
        description={t(
          'Always the same ones, chosen by chance. Without them nobody can say whether visitors would have done it anyway.',
        )}
        checked={value !== null}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? 10 : null)}
      />
      {value !== null && (
        <NumberInput
          label={t('Percent of visitors who get nothing')}
          description={t(
            'Change it only before the message begins: who is moved to the other group blurs the comparison.',
          )}
          min={1}
          max={90}
          allowDecimal={false}
          suffix=" %"
          value={value}
          error={problem}
          onChange={(percent) => onChange(Number(percent))}
        />
      )}
    </>
  );
}

interface VariantProps {
  readonly variants: readonly Variant[] | null;
  readonly problem: (name: string) => string | undefined;
  readonly onChange: (variants: readonly Variant[] | null) => void;
}

const mostVariants = 5;

function VariantFields({ variants, problem, onChange }: VariantProps) {
  const replace = (index: number, change: Partial<Variant>) =>
    onChange((variants ?? []).map((one, place) => (place === index ? { ...one, ...change } : one)));
  return (
    <>
      <Switch
        label={t('Try several wordings')}
        description={t('Each visitor always gets the same one. What you leave empty is as in the message.')}
        checked={variants !== null}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? firstVariants : null)}
      />
      {variants?.map((variant, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: variants have no identity but their place
        <fieldset key={index} className={classes.variant}>
          <legend>{t('Variant {name}', { name: variant.name || index + 1 })}</legend>
          <Group align="flex-start" wrap="nowrap">
            <TextInput
              label={t('Its name')}
              value={variant.name}
              error={problem(`variants.${index}.name`)}
              onChange={({ currentTarget }) => replace(index, { name: currentTarget.value })}
            />
            <NumberInput
              label={t('Share')}
              description={t('Of all shares')}
              min={1}
              max={100}
              allowDecimal={false}
              value={variant.weight ?? 1}
              error={problem(`variants.${index}.weight`)}
              onChange={(weight) => replace(index, { weight: Number(weight) })}
            />
            {variants.length > 2 && (
              <ActionIcon
                variant="subtle"
                mt={26}
                aria-label={t('Remove variant {name}', { name: variant.name })}
                onClick={() => onChange(variants.filter((_, place) => place !== index))}
              >
                <Icon name="trash" size={16} />
              </ActionIcon>
            )}
          </Group>
          <TextInput
            label={t('Its title')}
            value={variant.message?.alertTitle ?? ''}
            error={problem(`variants.${index}.message.alertTitle`)}
            onChange={({ currentTarget }) =>
              replace(index, { message: { ...variant.message, alertTitle: currentTarget.value } })
            }
          />
          <Textarea
            label={t('Its text')}
            autosize
            minRows={1}
            maxRows={6}
            value={variant.message?.alertMessage ?? ''}
            error={problem(`variants.${index}.message.alertMessage`)}
            onChange={({ currentTarget }) =>
              replace(index, { message: { ...variant.message, alertMessage: currentTarget.value } })
            }
          />
        </fieldset>
      ))}
      {variants && variants.length < mostVariants && (
        <Button
          variant="default"
          size="xs"
          w="fit-content"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => onChange([...variants, { name: 'ABCDE'[variants.length] ?? '', message: {} }])}
        >
          {t('Another wording')}
        </Button>
      )}
      {problem('variants') && (
        <Text c="red" size="sm">
          {problem('variants')}
        </Text>
      )}
    </>
  );
}
