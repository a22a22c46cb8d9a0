import type { JsonObject } from '@pharos/sdk';
import { t } from '../words/words.ts';

export interface JsonProblem {
  /** A sentence. */
  readonly message: string;
  /** From 1, if the browser reports it. */
  readonly line?: number;
  readonly column?: number;
}

/** Reads a JSON object, or describes the first error. */
export function readJsonObject(text: string): { readonly value: JsonObject } | { readonly problem: JsonProblem } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: problemOf(String((error as Error).message), text) };
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { value: value as JsonObject } : { problem: { message: t('It must be an object: { … }.') } };
}

/** The object in a JSON field: `{}` if empty, undefined if it is not an object. */
export function jsonObjectOf(text: string): JsonObject | undefined {
  if (text.trim() === '') return {};
  const read = readJsonObject(text);
  return 'value' in read ? read.value : undefined;
}

function problemOf(said: string, text: string): JsonProblem {
  if (text.trim() === '') return { message: t('It must be an object: { … }.') };
  const place = /line (\d+) column (\d+)/.exec(said);
  const at = /position (\d+)/.exec(said)?.[1];
  const end = placeOf(text, text.trimEnd().length);
  const { line, column } = place
    ? { line: Number(place[1]), column: Number(place[2]) }
    : at
      ? placeOf(text, Number(at))
      : end;
  const about = said
    .replace(/^JSON\.parse: /, '')
    .replace(/,? ?(in JSON|of the JSON data)?,? ?\(?at (line|position) .*$/, '');
  return {
    message: t('Line {line}, column {column}: {problem}.', { line, column, problem: about.replace(/\s+in JSON$/, '') }),
    line,
    column,
  };
}

function placeOf(text: string, position: number) {
  const before = text.slice(0, position).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
