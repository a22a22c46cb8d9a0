import { NativeSelect, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { where } from '@pharos/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Block } from '../../components/page/block.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { Icon, type IconName } from '../../components/page/icon.tsx';
import { call } from '../../lib/data/api.ts';
import { dataKey } from '../../lib/data/listed.ts';
import type { AppRules, TryAppRulesBody } from '../../lib/wire.ts';
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
  app: 'Somebody who has not signed in',
  user: 'A user of the app …',
  manager: 'A manager of the app',
};

const outcomes = {
  allowed: { label: 'Allowed', icon: 'check', tone: classes.allowed },
  refused: { label: 'Refused', icon: 'close', tone: classes.refused },
  some: { label: 'It depends', icon: 'shield', tone: classes.some },
} as const satisfies Readonly<
  Record<string, { readonly label: string; readonly icon: IconName; readonly tone: unknown }>
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
      title="Try as this user"
      about={`What ${isDraft ? 'the rules as you have changed them, before they are saved,' : 'the rules'} answer, and why. Nothing is changed by trying.`}
    >
      <div className={classes.question}>
        <NativeSelect
          label="Who asks"
          data={Object.entries(callers).map(([value, label]) => ({ value, label }))}
          value={caller}
          onChange={(event) => setCaller(event.currentTarget.value as TryAppRulesBody['caller'])}
        />
        {caller === 'user' && <UserPicker appId={appId} value={userId} onChange={setUserId} />}
        <NativeSelect
          label="For what"
          value={chosen}
          data={groups.map(({ title, rows }) => ({
            group: title,
            items: rows.map((row) => ({ value: keyOf(row), label: row.label })),
          }))}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
        <TextInput
          label="Which record"
          placeholder="objectId, or empty for all"
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

type TriedVerbs = Readonly<
  Record<string, { readonly outcome: keyof typeof outcomes; readonly reason: string; readonly sentence: string }>
>;

function Answers({ verbs: tried }: { readonly verbs: TriedVerbs }) {
  return (
    <ul className={classes.answers} aria-label="Answers" aria-live="polite">
      {verbs.flatMap((verb) => {
        const answer = tried[verb];
        if (!answer) return [];
        const { label, icon, tone } = outcomes[answer.outcome];
        return [
          <li key={verb}>
            <span className={classes.verb}>{verbLabels[verb]}</span>
            <span className={`${classes.outcome} ${tone}`}>
              <Icon name={icon} size={16} />
              {label}
            </span>
            <div>
              <p>{answer.reason}</p>
              <small>{answer.sentence}</small>
            </div>
          </li>,
        ];
      })}
    </ul>
  );
}

interface PickerProps {
  readonly appId: string;
  readonly value: string | undefined;
  readonly onChange: (userId: string | undefined) => void;
}

const mostShown = 20;

/** Chooses a user by name or e-mail. The service searches, so the number of users does not matter. */
function UserPicker({ appId, value, onChange }: PickerProps) {
  const [text, setText] = useState('');
  const [known, setKnown] = useState<string>();
  const [asked] = useDebouncedValue(text === known ? '' : text.trim(), 200);
  const { data, isFetching } = useQuery({
    queryKey: dataKey(appId, 'listUsers', 'picker', asked),
    queryFn: () => {
      const contains = (field: string) => where().contains(field, asked);
      const filter = asked ? { where: where().or(contains('email'), contains('firstname'), contains('lastname')) } : {};
      return call('listAppUsers', { params: { appId }, query: { ...filter, order: 'lastname', limit: mostShown } });
    },
    placeholderData: keepPreviousData,
  });
  const found = (data?.results ?? []).map(({ objectId, firstname, lastname, email }) => ({
    value: objectId,
    label: `${firstname} ${lastname} · ${email}`.trim(),
  }));
  const isMissing = value !== undefined && known !== undefined && !found.some((one) => one.value === value);
  return (
    <Select
      label="Which user"
      placeholder="Search by name or e-mail"
      searchable
      data={isMissing ? [{ value, label: known }, ...found] : found}
      // The service has already searched.
      filter={({ options }) => options}
      value={value ?? null}
      searchValue={text}
      onSearchChange={setText}
      onChange={(next, option) => {
        setKnown(option?.label);
        onChange(next ?? undefined);
      }}
      nothingFoundMessage={isFetching ? 'Searching …' : 'Nobody has this name or e-mail.'}
    />
  );
}
