import { NativeSelect, NumberInput, Stack, Switch, Text } from '@mantine/core';
import { DurationField } from '../../components/rules/duration-field.tsx';
import { RuleFields } from '../../components/rules/rule-fields.tsx';
import { limitTexts } from '../../components/rules/rule-words.ts';
import { appRules } from '../../components/rules/rules.ts';
import { timesIn } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { numberProps, type Policy, type PolicyProps, Rule } from './rule-parts.tsx';
import classes from './rules.module.css';

export function ProximityRules({ fields }: PolicyProps) {
  const { values, set, problem } = fields;
  return (
    <Stack gap="lg">
      <Rule>
        <NativeSelect
          label={t('Detection')}
          description={t('A beacon can have its own setting.')}
          classNames={{ wrapper: classes.choice ?? '' }}
          data={[
            { value: 'stable', label: t('Stable: few false events') },
            { value: 'fast', label: t('Fast: short visits count too') },
          ]}
          {...fields.text('sensitivity')}
        />
      </Rule>
      <Rule>
        <Switch
          label={t('One zone at a time')}
          description={t(
            'Beacons are decided together: a visitor is at the likeliest one. Where beacons have a location in metres, visitors have a position too.',
          )}
          {...fields.checked('oneZone')}
        />
      </Rule>
      <Rule
        warning={
          values.pushTimeToLive > 3_600
            ? t('After an hour, the visitor may be far away when the message arrives.')
            : undefined
        }
      >
        <DurationField
          label={t('How long a message stays useful')}
          seconds={values.pushTimeToLive}
          error={problem('pushTimeToLive')}
          onChange={(seconds) => set('pushTimeToLive', seconds)}
        />
        <Text c="dimmed">
          {t('A phone that was off for longer does not show the message. From 10 seconds to a day.')}
        </Text>
      </Rule>
    </Stack>
  );
}

/** Whether one person alone may send to many. */
export function ApprovalRules({ fields }: PolicyProps) {
  const { approval } = fields.values;
  const set = (change: Partial<Policy['approval']>) => fields.set('approval', { ...approval, ...change });
  return (
    <Stack gap="lg">
      <Switch
        label={t('Pushes to many need a second person')}
        description={t(
          'A push to more phones than this waits until somebody who may send pushes, and has not written it, approves it. What is changed afterwards needs that again.',
        )}
        checked={approval.enabled}
        onChange={({ currentTarget }) => set({ enabled: currentTarget.checked })}
      />
      {approval.enabled && (
        <NumberInput
          label={t('One person alone may send to at most')}
          suffix={t(' phones')}
          min={1}
          allowDecimal={false}
          thousandSeparator=","
          maw={260}
          error={fields.problem('approval.above') ?? fields.problem('policy.approval.above')}
          {...numberProps(approval.above, (above) => set({ above }))}
        />
      )}
    </Stack>
  );
}

export function DeliveryPolicy({ fields }: PolicyProps) {
  const { values, set } = fields;
  const times = timesIn(values.timeZone);
  const limits = limitTexts(appRules(values), times);
  return (
    <Stack gap="lg">
      <Switch
        label={t('Polite')}
        description={t(
          'A pause of 15 minutes before the same message is shown again, at most 3 messages a day per visitor, and none from 22:00 to 08:00. The rules below take precedence.',
        )}
        {...fields.checked('polite')}
      />
      <RuleFields
        value={values.delivery}
        times={times}
        problem={(name) => fields.problemWithin(`delivery.${name}`) ?? fields.problemWithin(`policy.delivery.${name}`)}
        onChange={(delivery) => set('delivery', delivery)}
      />
      <Text data-testid="limits">
        {limits.length === 0
          ? t('In effect: every message is shown once per visit, without other limits.')
          : t('In effect: {list}.', { list: limits.join(', ') })}
      </Text>
    </Stack>
  );
}
