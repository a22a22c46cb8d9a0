import { NativeSelect } from '@mantine/core';
import { type Policy, type PolicyProps, Rule } from './rule-parts.tsx';
import classes from './rules.module.css';

/** Whether visitors are asked before they are recorded. */
export function ConsentRules({ fields }: PolicyProps) {
  const { values, set, problem } = fields;
  return (
    <Rule
      warning={
        values.consent === 'required'
          ? 'Phones whose app does not ask yet get no messages and are not recorded; their sightings are only counted.'
          : undefined
      }
    >
      <NativeSelect
        label="Without an answer of the visitor"
        description="What a visitor has refused is refused either way."
        classNames={{ wrapper: classes.choice ?? '' }}
        data={[
          { value: 'required', label: 'Nothing: the app has to ask first' },
          { value: 'assumed', label: 'Everything, until the visitor refuses' },
        ]}
        value={values.consent}
        error={problem('consent')}
        onChange={({ currentTarget }) => set('consent', currentTarget.value as Policy['consent'])}
      />
    </Rule>
  );
}
