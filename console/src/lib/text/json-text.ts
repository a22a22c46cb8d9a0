import type { JsonObject } from '@pharos/sdk';
import { t } from '../words/words.ts';
import { jsonFault } from './json-fault.ts';

export interface JsonProblem {
  /** A sentence. */
  readonly message: string;
  /** From 1, if the browser reports it. */
  readonly line?: number;
  readonly column?: number;
}

/** Reads JSON, or says where it is none. */
export function readJson(text: string): { readonly value: unknown } | { readonly problem: JsonProblem } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: placed(String((error as Error).message), text) };
  }
}

/** Reads a JSON object, or describes the first error. */
export function readJsonObject(text: string): { readonly value: JsonObject } | { readonly problem: JsonProblem } {
  if (text.trim() === '') return { problem: { message: t('It must be an object: { … }.') } };
  const read = readJson(text);
  if ('problem' in read) return read;
  const { value } = read;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { value: value as JsonObject } : { problem: { message: t('It must be an object: { … }.') } };
}

/** The object in a JSON field: `{}` if empty, undefined if it is not an object. */
export function jsonObjectOf(text: string): JsonObject | undefined {
  if (text.trim() === '') return {};
  const read = readJsonObject(text);
  return 'value' in read ? read.value : undefined;
}

function placed(said: string, text: string): JsonProblem {
  const fault = jsonFault(text);
  const { line, column } = placeOf(text, fault < text.length ? fault : text.trimEnd().length);
  // Without what the browser says of the place, and of the text around it.
  const problem = said
    .replace(/^JSON\.parse: /, '')
    .replace(/, (\.\.\.)?".*$/s, '')
    .replace(/,? ?(in JSON|of the JSON data)?,? ?\(?at (line|position) .*$/s, '')
    .replace(/\s+in JSON$/, '');
  return { message: t('Line {line}, column {column}: {problem}.', { line, column, problem }), line, column };
}

function placeOf(text: string, position: number) {
  const before = text.slice(0, position).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
