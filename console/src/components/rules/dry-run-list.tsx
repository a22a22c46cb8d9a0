import { Text } from '@mantine/core';
import type { AppRules, DryRun } from '../../lib/wire.ts';
import classes from './dry-run.module.css';

interface Props {
  readonly dryRun: DryRun;
  readonly rules: AppRules;
}

const verbWords: Readonly<Record<DryRun['counts'][number]['verb'], string>> = {
  list: 'List',
  get: 'See',
  create: 'Add',
  update: 'Change',
  delete: 'Delete',
  listen: 'Listen to',
};

const callerWords: Readonly<Record<DryRun['counts'][number]['caller'], string>> = {
  app: 'without signing in',
  user: 'by signed-in users',
  manager: 'by managers',
};

/** What the rules of a dry run would have refused, and how long that has been counted. */
export function DryRunList({ dryRun, rules }: Props) {
  const { counts } = dryRun;
  return (
    <div className={classes.dryRun}>
      <Text size="sm">{summaryOf(dryRun)}</Text>
      {counts.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it
        <ul className={classes.counts} aria-label="What would have been refused" tabIndex={0}>
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
    </div>
  );
}

const number = (n: number) => n.toLocaleString('en');
const several = (n: number, noun: string) => `${number(n)} ${noun}${n === 1 ? '' : 's'}`;

function summaryOf({ days, checked, counts }: DryRun): string {
  const total = checked.app + checked.user + checked.manager;
  if (total === 0) return 'Nothing is known yet: the app has had no requests since this is being counted.';
  const when = days === 1 ? 'Today' : `In the last ${days} days`;
  const seen = `${when} the app sent ${several(total, 'request')}.`;
  return counts.length === 0
    ? `${seen} None of them would have been refused.`
    : `${seen} Of these, the following would have been answered otherwise:`;
}

function subjectOf({ resource, bucket }: DryRun['counts'][number], { resources }: AppRules): string {
  return bucket === undefined ? (resources[resource ?? '']?.noun ?? resource ?? '') : `records of ${bucket}`;
}

function outcomeOf({ outcome, verb, requests }: DryRun['counts'][number]): string {
  const what = outcome === 'refused' ? 'refused' : verb === 'list' ? 'with fewer results' : 'not found';
  return `${verb === 'list' && outcome === 'hidden' ? 'about ' : ''}${number(requests)} ${what}`;
}
