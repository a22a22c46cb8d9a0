import { Stack, Text } from '@mantine/core';
import type { AppRules, DryRun } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import classes from './dry-run.module.css';
import { resourceNoun } from './resource-nouns.ts';

interface Props {
  readonly dryRun: DryRun;
  readonly rules: AppRules;
}

const verbWords: Readonly<Record<DryRun['counts'][number]['verb'], string>> = {
  list: t('List'),
  get: t('See'),
  create: t('Add'),
  update: t('Change'),
  delete: t('Delete'),
  listen: t('Listen to'),
};

const callerWords: Readonly<Record<DryRun['counts'][number]['caller'], string>> = {
  app: t('without signing in'),
  user: t('by signed-in users'),
  manager: t('by managers'),
};

/** What the rules of a dry run would have refused, and how long that has been counted. */
export function DryRunList({ dryRun, rules }: Props) {
  const { counts } = dryRun;
  return (
    <Stack gap="0.7rem">
      <Text>{summaryOf(dryRun)}</Text>
      {counts.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it
        <ul className={classes.counts} aria-label={t('What would have been refused')} tabIndex={0}>
          {counts.map((count) => (
            <li key={`${count.resource} ${count.bucket} ${count.verb} ${count.caller} ${count.outcome}`}>
              <span>
                {verbWords[count.verb]} <b>{subjectOf(count, rules)}</b>, {callerWords[count.caller]}
              </span>
              <span>{outcomeOf(count)}</span>
            </li>
          ))}
        </ul>
      )}
    </Stack>
  );
}

function summaryOf({ days, checked, counts }: DryRun): string {
  const total = checked.app + checked.user + checked.manager;
  if (total === 0) return t('Nothing is known yet: the app has had no requests since this is being counted.');
  const seen = t(
    '{days, plural, one {Today} other {In the last {days} days}} the app sent {total, plural, one {# request} other {# requests}}.',
    { days, total },
  );
  return counts.length === 0
    ? t('{seen} None of them would have been refused.', { seen })
    : t('{seen} Of these, the following would have been answered otherwise:', { seen });
}

function subjectOf({ resource, bucket }: DryRun['counts'][number], { resources }: AppRules): string {
  return bucket === undefined
    ? resourceNoun(resources[resource ?? '']?.noun ?? resource ?? '')
    : t('records of {bucket}', { bucket });
}

function outcomeOf({ outcome, verb, requests }: DryRun['counts'][number]): string {
  if (outcome === 'refused') return t('{requests, number} refused', { requests });
  return verb === 'list'
    ? t('about {requests, number} with fewer results', { requests })
    : t('{requests, number} not found', { requests });
}
