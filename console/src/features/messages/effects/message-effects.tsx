import { NumberInput, Stack, Switch } from '@mantine/core';
import { Block } from '../../../components/page/blocks.tsx';
import { t } from '../../../lib/words/words.ts';
import type { EffectFields } from './effects.ts';
import { GoalFields } from './goal-fields.tsx';
import { VariantFields } from './variant-fields.tsx';

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
        'Say what visitors are to do after the message, and the effects of messages tell how many do. To know whether the message is the reason, let some visitors get nothing.',
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
