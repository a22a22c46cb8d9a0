import { Box, NativeSelect, Stack, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../../components/page/blocks.tsx';
import type { AppRules } from '../../lib/wire.ts';
import { t, translated } from '../../lib/words/words.ts';
import type { Rule, Verb } from './rule-values.ts';
import classes from './rules.module.css';
import { type Described, type Row, rowGroups, ruleLabel, verbLabels, verbs } from './words.ts';

interface Props {
  readonly rules: AppRules;
  readonly onRule: (row: Row, verb: Verb) => void;
  readonly onRow: (row: Row) => void;
}

/** Who may do what: a line for each resource and bucket, a column for each verb. */
export function RuleMatrix({ rules, onRule, onRow }: Props) {
  return (
    <div className={classes.scroller}>
      <table className={classes.matrix}>
        <thead>
          <tr>
            <th scope="col">{t('Who may')}</th>
            {verbs.map((verb) => (
              <th key={verb} scope="col">
                {verbLabels[verb]}
              </th>
            ))}
          </tr>
        </thead>
        {rowGroups(rules).map(({ title, rows }) => (
          <tbody key={title}>
            <tr className={classes.groupRow}>
              <th scope="rowgroup" colSpan={verbs.length + 1}>
                {title}
              </th>
            </tr>
            {rows.map((row) => (
              <tr key={`${row.group} ${row.name}`}>
                <th scope="row">
                  <UnstyledButton className={classes.rowName} onClick={() => onRow(row)}>
                    {row.label}
                    <small>{keptNote(row.described)}</small>
                  </UnstyledButton>
                </th>
                {verbs.map((verb) => (
                  <td key={verb}>
                    <Cell row={row} verb={verb} onRule={onRule} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

/** What of a record is kept from somebody, under its name. */
function keptNote({ members }: Described): string {
  const n = Object.keys(members).length;
  return n === 0 ? '' : t('{n, plural, one {# member} other {# members}} kept back', { n });
}

interface CellProps extends Pick<Props, 'onRule'> {
  readonly row: Row;
  readonly verb: Verb;
}

function Cell({ row, verb, onRule }: CellProps) {
  const rule = row.described.rules[verb];
  if (!rule)
    return (
      <Box component="span" pl="0.55rem" c="dimmed">
        <span aria-hidden="true">–</span>
        <span className="off-screen">{t('not possible')}</span>
      </Box>
    );
  return (
    <UnstyledButton
      className={`${classes.cell} ${rule.isOwn ? classes.own : classes.inherited} ${toneOf(rule.rule)}`}
      title={translated(rule.sentence)}
      aria-label={t('{resource}, {verb}: {rule}, {isOwn, select, true {set here} other {from the preset}}', {
        resource: row.label,
        verb: verbLabels[verb],
        rule: ruleLabel(rule.rule),
        isOwn: Boolean(rule.isOwn),
      })}
      onClick={() => onRule(row, verb)}
    >
      {ruleLabel(rule.rule)}
    </UnstyledButton>
  );
}

/** The wider, the warmer. */
function toneOf(rule: Rule): string {
  if (rule === 'app') return classes.everyone ?? '';
  if (rule === 'user') return classes.signedIn ?? '';
  return rule === 'nobody' ? (classes.nobody ?? '') : '';
}

/** The matrix on a phone: one resource at a time, each rule with its sentence. */
export function RulesOfOne({ rules, onRule, onRow }: Props) {
  const groups = rowGroups(rules);
  const rows = groups.flatMap((group) => group.rows);
  const [chosen, setChosen] = useState('');
  const row = rows.find((one) => keyOf(one) === chosen) ?? rows[0];
  if (!row) return null;
  return (
    <Stack gap="1rem">
      <NativeSelect
        label={t('Rules for')}
        value={keyOf(row)}
        data={groups.map(({ title, rows: all }) => ({
          group: title,
          items: all.map((one) => ({ value: keyOf(one), label: one.label })),
        }))}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      <RuleList row={row} onRule={onRule} />
      <UnstyledButton className={classes.more} onClick={() => onRow(row)}>
        {t('Owner and members')}
        <Icon name="edit" size={16} />
      </UnstyledButton>
    </Stack>
  );
}

export const keyOf = ({ group, name }: Pick<Row, 'group' | 'name'>) => `${group} ${name}`;

interface ListProps extends Pick<Props, 'onRule'> {
  readonly row: Row;
}

export function RuleList({ row, onRule }: ListProps) {
  const possible = verbs.filter((verb) => row.described.rules[verb]);
  return (
    <ul className={`bare ${classes.list}`} aria-label={t('Rules for {label}', { label: row.label })}>
      {possible.map((verb) => {
        const rule = row.described.rules[verb];
        return (
          <li key={verb}>
            <Box component="span" fw={580}>
              {verbLabels[verb]}
            </Box>
            <Cell row={row} verb={verb} onRule={onRule} />
            <p>{rule && translated(rule.sentence)}</p>
          </li>
        );
      })}
    </ul>
  );
}
