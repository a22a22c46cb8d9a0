import { NativeSelect, NumberInput, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { jsonObjectOf } from '../../lib/text/json-text.ts';
import { t } from '../../lib/words/words.ts';

/** The fields that can be given the same value in many records. */

export interface ControlProps<Value> {
  readonly label: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly error: string | undefined;
}

export type Read = { readonly value: unknown } | { readonly problem: string } | undefined;

export interface BulkField<Value = never> {
  readonly label: string;
  /** The member of the record: `['location', 'floor']`. */
  readonly path: readonly string[];
  /** What the control begins with. */
  readonly start: Value;
  readonly control: (props: ControlProps<Value>) => ReactNode;
  /** The member's value; undefined while nothing is given. */
  readonly read: (value: Value) => Read;
  /** A record can be without it. */
  readonly isOptional?: true;
  /** It replaces what is there, where other objects are merged. */
  readonly isWhole?: true;
  /** A value in words, where it is an id. */
  readonly textOf?: (value: unknown) => ReactNode;
}

/** A field whose value type is not known. */
export type AnyBulkField = BulkField;

type About = Pick<BulkField, 'label' | 'path' | 'isOptional'>;

/** Functions of a value are contravariant in it; each field is only given its own. */
export const bulkField = <Value,>(field: BulkField<Value>): AnyBulkField => field as unknown as AnyBulkField;

interface TextOptions {
  readonly isLong?: true;
  /** What the text means. */
  readonly read?: (text: string) => unknown;
}

export const textBulk = (about: About, { isLong, read = (text) => text }: TextOptions = {}): AnyBulkField =>
  bulkField<string>({
    ...about,
    start: '',
    control: ({ value, onChange, ...props }) =>
      isLong ? (
        <Textarea {...props} minRows={2} value={value} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <TextInput {...props} value={value} onChange={(event) => onChange(event.target.value)} />
      ),
    read: (text) => (text.trim() === '' ? undefined : { value: read(text.trim()) }),
  });

export const numberBulk = (about: About): AnyBulkField =>
  bulkField<number | string>({
    ...about,
    start: '',
    control: ({ value, onChange, ...props }) => (
      <NumberInput {...props} hideControls value={value} onChange={onChange} />
    ),
    read: (value) => (value === '' ? undefined : { value }),
  });

export const choiceBulk = (
  about: About,
  choices: readonly { readonly value: string; readonly label: string }[],
): AnyBulkField =>
  bulkField<string>({
    ...about,
    start: '',
    control: ({ value, onChange, ...props }) => (
      <NativeSelect
        {...props}
        data={[{ value: '', label: t('Choose …') }, ...choices]}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    ),
    read: (value) => (value === '' ? undefined : { value }),
    textOf: (value) => choices.find((choice) => choice.value === value)?.label ?? String(value),
  });

/** A pointer, chosen by name. */
export const pointerBulk = (
  about: About & { readonly className: string },
  control: BulkField<string>['control'],
  textOf: (objectId: string) => ReactNode,
): AnyBulkField =>
  bulkField<string>({
    ...about,
    start: '',
    control,
    read: (objectId) =>
      objectId === '' ? undefined : { value: { __type: 'Pointer', className: about.className, objectId } },
    textOf: (value) => textOf((value as { readonly objectId: string }).objectId),
  });

/** Members of an object: those that are given replace those of each record, and null removes one. */
export const membersBulk = (about: About): AnyBulkField =>
  bulkField<string>({
    ...about,
    start: '',
    control: ({ value, onChange, ...props }) => (
      <Textarea
        {...props}
        description={t('A JSON object. Its members are set in each record, the others stay; null removes a member.')}
        placeholder='{"hall": 2}'
        minRows={3}
        spellCheck={false}
        classNames={{ input: 'mono' }}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    ),
    read: (text) => {
      if (text.trim() === '') return undefined;
      const value = jsonObjectOf(text);
      return value ? { value } : { problem: t('must be a JSON object, such as {"hall": 2}') };
    },
  });
