import { NativeSelect } from '@mantine/core';
import { t } from '../../lib/words/words.ts';
import { type PolicyProps, Rule } from './rule-parts.tsx';
import classes from './rules.module.css';

/** Whether visitors are asked before they are recorded. */
export function ConsentRules({ fields }: PolicyProps) {
  const { values } = fields;
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
        {...fields.text('consent')}
      />
      <NativeSelect
        label={t('Small groups in analytics')}
        description={t('Of one to four people a number could say who they were.')}
        classNames={{ wrapper: classes.choice ?? '' }}
        data={[
          { value: 'protected', label: t('Shown as “1–4”, other numbers in fives') },
          { value: 'shown', label: t('Shown exactly') },
        ]}
        {...fields.text('smallGroups')}
      />
      <NativeSelect
        label={t('Pseudonyms of phones')}
        description={t(
          'With pseudonyms nobody who looks at visits, events or messages, here, through the interface or at a webhook, can tell that today’s visitor is yesterday’s. They do not hide times and places: whoever knows when somebody was where finds them on that day. Managers still see the list of phones and can export or erase one. What is recorded with pseudonyms keeps them when this is switched off; what was recorded before keeps its ids.',
        )}
        classNames={{ wrapper: classes.choice ?? '' }}
        data={[
          { value: 'none', label: t('By its id, the same every day') },
          { value: 'daily', label: t('By a pseudonym that changes every day') },
        ]}
        {...fields.text('pseudonyms')}
      />
    </Rule>
  );
}
