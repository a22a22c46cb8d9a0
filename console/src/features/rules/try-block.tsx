import { Box, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { UserPicker } from '../../components/form/user-picker.tsx';
import { TextLink } from '../../components/names/names.tsx';
import { Block, FailureNote, Icon, type IconName } from '../../components/page/blocks.tsx';
import { appUserQuery } from '../../lib/data/queries.ts';
import { venueNames, venueNamesQuery } from '../../lib/data/venue-queries.ts';
import type { AppRules, TryAppRulesBody } from '../../lib/wire.ts';
import { rich, t, translated } from '../../lib/words/words.ts';
import { keyOf } from './matrix.tsx';
import { tryQuery } from './queries.ts';
import { bodyOf, type RuleValues } from './rule-values.ts';
import classes from './try.module.css';
import { rowGroups, verbLabels, verbs } from './words.ts';

interface Props {
  readonly appId: string;
  readonly rules: AppRules;
  readonly values: RuleValues;
  readonly isDraft: boolean;
}

const callers: Readonly<Record<TryAppRulesBody['caller'], string>> = {
  app: t('Somebody who has not signed in'),
  user: t('A user of the app …'),
  manager: t('A manager of the app'),
};

const outcomes = {
  allowed: { label: t('Allowed'), icon: 'check', tone: 'var(--mantine-color-teal-light-color)' },
  refused: { label: t('Refused'), icon: 'close', tone: 'var(--mantine-color-error)' },
  some: { label: t('It depends'), icon: 'shield', tone: 'var(--mantine-color-yellow-light-color)' },
} as const satisfies Readonly<
  Record<string, { readonly label: string; readonly icon: IconName; readonly tone: string }>
>;

/** What the rules on the screen would answer to somebody, and why. */
export function TryBlock({ appId, rules, values, isDraft }: Props) {
  const [caller, setCaller] = useState<TryAppRulesBody['caller']>('app');
  const [userId, setUserId] = useState<string>();
  const groups = rowGroups(rules);
  const [chosen, setChosen] = useState('resources beacons');
  const [typed, setTyped] = useState('');
  const [objectId] = useDebouncedValue(typed.trim(), 300);
  const [group, name = ''] = chosen.split(' ');
  const isEvery = group === 'buckets' && name === '*';
  const question: TryAppRulesBody = {
    caller,
    ...(caller === 'user' && userId ? { userId } : {}),
    ...(group === 'buckets' ? { bucket: name } : { resource: name }),
    ...(objectId && !isEvery ? { objectId } : {}),
    rules: bodyOf(values) as NonNullable<TryAppRulesBody['rules']>,
  };
  const isComplete = caller !== 'user' || userId !== undefined;
  const { data, error } = useQuery({ ...tryQuery(appId, question), enabled: isComplete });
  return (
    <Block
      title={t('Try as this user')}
      about={t(
        'What {isDraft, select, true {the rules as you have changed them, before they are saved,} other {the rules}} answer, and why. Nothing is changed by trying.',
        { isDraft },
      )}
    >
      <div className={classes.question}>
        <NativeSelect
          label={t('Who asks')}
          data={Object.entries(callers).map(([value, label]) => ({ value, label }))}
          value={caller}
          onChange={(event) => setCaller(event.currentTarget.value as TryAppRulesBody['caller'])}
        />
        {caller === 'user' && (
          <div>
            <UserPicker appId={appId} label={t('Which user')} value={userId} onChange={setUserId} />
            {userId && <VenuesOf appId={appId} userId={userId} />}
          </div>
        )}
        <NativeSelect
          label={t('For what')}
          value={chosen}
          data={groups.map(({ title, rows }) => ({
            group: title,
            items: rows.map((row) => ({ value: keyOf(row), label: row.label })),
          }))}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
        <TextInput
          label={t('Which record')}
          placeholder={t('objectId, or empty for all')}
          value={typed}
          disabled={isEvery}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </div>
      {error && isComplete ? (
        <FailureNote message={error.message} />
      ) : (
        data && isComplete && <Answers verbs={data.verbs} />
      )}
    </Block>
  );
}

/** What `$auth.venues` is for the user who is tried. */
function VenuesOf({ appId, userId }: { readonly appId: string; readonly userId: string }) {
  const { data: venues } = useQuery(venueNamesQuery(appId));
  const { data: user } = useQuery(appUserQuery(appId, userId));
  if (!venues || !user || (venues.length === 0 && user.venueIds.length === 0)) return null;
  return (
    <Text size="xs" c="dimmed" mt={4}>
      {rich('Belongs to: {venues} (<link>change</link>)', {
        venues: venueNames(venues, user.venueIds),
        link: (inner) => (
          <TextLink to="/apps/$appId/users/$userId" params={{ appId, userId }}>
            {inner}
          </TextLink>
        ),
      })}
    </Text>
  );
}

type TriedVerbs = Readonly<
  Record<string, { readonly outcome: keyof typeof outcomes; readonly reason: string; readonly sentence: string }>
>;

function Answers({ verbs: tried }: { readonly verbs: TriedVerbs }) {
  return (
    <ul className={classes.answers} aria-label={t('Answers')} aria-live="polite">
      {verbs.flatMap((verb) => {
        const answer = tried[verb];
        if (!answer) return [];
        const { label, icon, tone } = outcomes[answer.outcome];
        return [
          <li key={verb}>
            <Box component="span" fw={580}>
              {verbLabels[verb]}
            </Box>
            <Group component="span" display="inline-flex" gap="0.35rem" wrap="nowrap" c={tone} fw={600}>
              <Icon name={icon} size={16} />
              {label}
            </Group>
            <div>
              <p>{translated(answer.reason)}</p>
              <small>{translated(answer.sentence)}</small>
            </div>
          </li>,
        ];
      })}
    </ul>
  );
}
