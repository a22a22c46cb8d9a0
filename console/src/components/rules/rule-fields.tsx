import { Box, NativeSelect, Stack, Switch } from '@mantine/core';
import type { Times } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { type RuleRow, ruleRows } from './rule-rows.tsx';
import { limitTexts } from './rule-words.ts';
import classes from './rules.module.css';
import type { RuleName, Rules } from './rules.ts';

interface Props {
  readonly value: Rules;
  readonly onChange: (value: Rules) => void;
  /** The rules of the app, as defaults of a message; without them, the app's own rules are edited. */
  readonly app?: Rules;
  readonly times: Times;
  /** These rules alone. */
  readonly only?: readonly RuleName[];
  /** The problem of a member, by its name or the beginning of it. */
  readonly problem: (name: string) => string | undefined;
}

/** Delivery rules: each one is inherited from the app, off, or set here. */
export function RuleFields({ value, onChange, app, times, only, problem }: Props) {
  return (
    <Stack gap="lg">
      {ruleRows
        .filter(({ names, isForMessages }) => (only ? only.includes(names[0]) : app || !isForMessages))
        .map((row) => (
          <Row
            key={row.names[0]}
            row={row}
            value={value}
            onChange={onChange}
            app={app}
            times={times}
            problem={problem}
          />
        ))}
    </Stack>
  );
}

type Mode = 'app' | 'off' | 'own';

function modeOf({ names }: RuleRow, value: Rules): Mode {
  if (names.some((name) => value[name] !== undefined && value[name] !== null)) return 'own';
  return names.some((name) => value[name] === null) ? 'off' : 'app';
}

const pick = (rules: Rules, names: readonly RuleName[]): Rules =>
  Object.fromEntries(Object.entries(rules).filter(([name]) => names.includes(name as RuleName)));
const omit = (rules: Rules, names: readonly RuleName[]): Rules =>
  Object.fromEntries(Object.entries(rules).filter(([name]) => !names.includes(name as RuleName)));

interface RowProps extends Omit<Props, 'app' | 'only'> {
  readonly row: RuleRow;
  readonly app: Rules | undefined;
}

function Row({ row, value, onChange, app, times, problem }: RowProps) {
  const { names, label, about, start, Fields } = row;
  const mode = modeOf(row, value);
  function setMode(next: Mode) {
    const rest = omit(value, names);
    if (next === 'app') onChange(rest);
    else if (next === 'own') onChange({ ...rest, ...start });
    else onChange({ ...rest, ...Object.fromEntries(names.map((name) => [name, null])) });
  }
  const said = app && limitTexts(pick(app, names), times).join(', ');
  return (
    <Box miw={0} maw="38rem">
      {app ? (
        <NativeSelect
          label={label}
          description={about}
          data={[
            { value: 'app', label: t('As set for the app: {said}', { said: said || row.none }) },
            ...(said ? [{ value: 'off', label: t('For this message: {none}', { none: row.none }) }] : []),
            { value: 'own', label: t('Set for this message') },
          ]}
          value={mode === 'off' && !said ? 'app' : mode}
          onChange={({ currentTarget }) => setMode(currentTarget.value as Mode)}
        />
      ) : (
        <Switch
          label={label}
          description={about}
          checked={mode === 'own'}
          onChange={({ currentTarget }) => setMode(currentTarget.checked ? 'own' : 'app')}
        />
      )}
      {mode === 'own' && (
        <div className={classes.own}>
          <Fields value={value} onChange={onChange} times={times} problem={problem} />
        </div>
      )}
    </Box>
  );
}
