import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Given, KeptFile } from '../../lib/actions/kept-file.ts';
import type { CsvTable } from '../../lib/text/csv.ts';
import { listed, t } from '../../lib/words/words.ts';
import { Form } from '../form/form.tsx';
import { Block } from '../page/blocks.tsx';
import classes from './import.module.css';
import { columnText } from './table-of.ts';

interface Props {
  readonly file: KeptFile;
  readonly table: CsvTable;
  /** The columns that the file lacks. */
  readonly names: readonly string[];
  /** The headings that mean something. */
  readonly known: readonly string[];
  readonly onGive: (given: Given) => void;
}

/** What a person says of a missing column: one value, or the place of another column. */
interface Answer {
  readonly from: string;
  readonly value: string;
}

const none: Answer = { from: 'value', value: '' };

/** Asks for the columns that a file lacks: which other column it is, or one value for all rows. */
export function MissingColumns({ file, table, names, known, onGive }: Props) {
  const [answers, setAnswers] = useState<Readonly<Record<string, Answer>>>(() => answersOf(file.given));
  const [isAsked, setAsked] = useState(false);
  const means = (head: string) => known.some((name) => name.toLowerCase() === head.toLowerCase());
  const others = [...table.header.entries()].filter(([, head]) => head !== '' && !means(head));
  const answerTo = (name: string) => answers[name] ?? none;
  const set = (name: string, change: Partial<Answer>) =>
    setAnswers({ ...answers, [name]: { ...answerTo(name), ...change } });
  const isOpen = (name: string) => answerTo(name).from === 'value' && answerTo(name).value.trim() === '';
  function submit() {
    setAsked(true);
    if (!names.some(isOpen)) onGive(givenBy(names, answerTo));
  }
  return (
    <Block
      title={t('What is missing')}
      about={t(
        'The file has no {count, plural, one {column} other {columns}} {list}. Say which other column it is, or give one value for all rows.',
        { count: names.length, list: listed(names) },
      )}
    >
      <Form onSubmit={submit}>
        <Stack maw={560}>
          {names.map((name) => (
            <Group key={name} align="flex-start" className={classes.missing}>
              {others.length > 0 && (
                <NativeSelect
                  label={t('{name} is', { name })}
                  data={[
                    { value: 'value', label: t('the same in all rows') },
                    ...others.map(([index, head]) => ({
                      value: String(index),
                      label: columnText(table.rows, index, head),
                    })),
                  ]}
                  value={answerTo(name).from}
                  onChange={({ currentTarget }) => set(name, { from: currentTarget.value })}
                />
              )}
              {answerTo(name).from === 'value' && (
                <TextInput
                  label={t('{name} of all rows', { name })}
                  spellCheck={false}
                  value={answerTo(name).value}
                  error={isAsked && isOpen(name) ? t('Fill this in.') : undefined}
                  onChange={({ currentTarget }) => set(name, { value: currentTarget.value })}
                />
              )}
            </Group>
          ))}
          <Group>
            <Button variant="filled" type="submit">
              {t('Show what would happen')}
            </Button>
          </Group>
        </Stack>
      </Form>
    </Block>
  );
}

function answersOf(given: Given = {}): Readonly<Record<string, Answer>> {
  return Object.fromEntries(
    Object.entries(given).map(([name, one]) => [
      name,
      'column' in one ? { from: String(one.column), value: '' } : { from: 'value', value: one.value },
    ]),
  );
}

const givenBy = (names: readonly string[], answerTo: (name: string) => Answer): Given =>
  Object.fromEntries(
    names.map((name) => {
      const { from, value } = answerTo(name);
      return [name, from === 'value' ? { value: value.trim() } : { column: Number(from) }];
    }),
  );
