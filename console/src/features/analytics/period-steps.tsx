import { ActionIcon, Alert, Button, Group, Text } from '@mantine/core';
import { Icon } from '../../components/page/blocks.tsx';
import { t } from '../../lib/words/words.ts';
import classes from './analytics.module.css';
import { type Period, periodText, shifted } from './period.ts';

export const unitChoices = [
  { value: 'day', label: t('Day') },
  { value: 'week', label: t('Week') },
  { value: 'month', label: t('Month') },
  { value: 'year', label: t('Year') },
];

interface StepProps {
  readonly period: Period;
  readonly today: string;
  readonly onChange: (date: string | undefined) => void;
}

export function PeriodSteps({ period, today, onChange }: StepProps) {
  const { unit, from, until } = period;
  return (
    <Group gap="xs" wrap="nowrap" className={classes.steps ?? ''}>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={t('The one before')}
        onClick={() => onChange(shifted(unit, from, -1))}
      >
        <Icon name="back" size={16} />
      </ActionIcon>
      <Text size="md" fw={600} aria-live="polite">
        {periodText(period)}
      </Text>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={t('The next one')}
        disabled={until > today}
        onClick={() => onChange(until)}
      >
        <Icon name="next" size={16} />
      </ActionIcon>
      {(until <= today || from > today) && (
        <Button variant="subtle" size="compact-sm" onClick={() => onChange(undefined)}>
          {t('Now')}
        </Button>
      )}
    </Group>
  );
}

interface NoteProps {
  readonly numbers: { readonly isComplete: boolean; readonly isProtected: boolean };
}

/** What has to be known of the numbers below. */
export function Notes({ numbers: { isComplete, isProtected } }: NoteProps) {
  return (
    <>
      {!isComplete && (
        <Alert mb="md" color="blue" icon={<Icon name="pulse" />}>
          {t('Older visits are still being counted, so the numbers go up for a while.')}
        </Alert>
      )}
      {isProtected && (
        <Text c="dimmed" mb="md" maw="42rem">
          {t(
            'Small groups are protected: one to four visitors, now and then a few more, are shown as “1–4” without anything more about them, and other numbers are in fives, a few more or fewer by chance, so that nobody can be told apart. It is set under Limits.',
          )}
        </Text>
      )}
    </>
  );
}
