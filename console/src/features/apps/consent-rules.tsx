import { NativeSelect } from '@mantine/core';
import { t } from '../../lib/words/words.ts';
import { type Policy, type PolicyProps, Rule } from './rule-parts.tsx';
import classes from './rules.module.css';

/** Whether visitors are asked before they are recorded. */
export function ConsentRules({ fields }: PolicyProps) {
  const { values, set, problem } = fields;
  return (
    <Rule
      warning={
        values.consent === 'required'
          ? t(
              'Phones whose app does not ask yet get no messages and are not recorded; their sightings are only counted.',
            )
          : undefined
      }
    >
      <NativeSelect
        label={t('Without an answer of the visitor')}
        description={t('What a visitor has refused is refused either way.')}
        classNames={{ wrapper: classes.choice ?? '' }}
        data={[
          { value: 'required', label: t('Nothing: the app has to ask first') },
          { value: 'assumed', label: t('Everything, until the visitor refuses') },
        ]}
        value={values.consent}
        error={problem('consent')}
        onChange={({ currentTarget }) => set('consent', currentTarget.value as Policy['consent'])}
      />
      <NativeSelect
        label={t('Few visitors in analytics')}
        description={t('Of one to four people a number could say who they were.')}
        classNames={{ wrapper: classes.choice ?? '' }}
        data={[
          { value: 'protected', label: t('Shown as “1–4”, other numbers in fives') },
          { value: 'shown', label: t('Shown exactly') },
        ]}
        value={values.smallGroups}
        error={problem('smallGroups')}
        onChange={({ currentTarget }) => set('smallGroups', currentTarget.value as Policy['smallGroups'])}
      />
    </Rule>
  );
}
