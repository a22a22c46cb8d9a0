import { Switch } from '@mantine/core';
import { t } from '../../lib/words/words.ts';
import { type PolicyProps, Rule } from './rule-parts.tsx';

/** Whether a phone has to prove that what comes in its name comes from it. */
export function PhoneRules({ fields }: PolicyProps) {
  const { values, set, problem } = fields;
  const isRequired = values.installationProof === 'required';
  return (
    <Rule
      warning={
        isRequired
          ? t('An app that makes no secret yet can register no new phones. Those that are registered go on.')
          : undefined
      }
    >
      <Switch
        label={t('New phones need a secret of their own')}
        description={t(
          'If off, a phone may have one. Without one, whoever learns its id can send sightings and log records for it.',
        )}
        checked={isRequired}
        error={problem('installationProof')}
        onChange={({ currentTarget }) => set('installationProof', currentTarget.checked ? 'required' : 'offered')}
      />
    </Rule>
  );
}
