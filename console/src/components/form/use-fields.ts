import { PharosError, type PharosProblem } from '@pharos/sdk';
import { useRef, useState } from 'react';
import { newKey, printOf, readDraft, removeDraft, type SentBody, writeDraft } from '../../lib/actions/drafts.ts';
import { t } from '../../lib/words/words.ts';
import { changedParts, isSame, type Parts } from './differences.ts';

interface Options {
  /** Keeps what is typed on this device under this name, until it is saved or thrown away. Never for passwords and keys. */
  readonly draft?: string | undefined;
}

interface State<Values> {
  readonly values: Values;
  /** What the form began with. */
  readonly base: Values;
  /** When the draft was written that the form began with, epoch milliseconds. */
  readonly draftedAt?: number | undefined;
  /** What an earlier visit has sent of the draft. */
  readonly sent?: readonly SentBody[] | undefined;
  /** The device has no room for the draft. */
  readonly isUnkept?: boolean;
}

/** Bodies that were sent in vain and are still known. */
const maxSent = 5;

export function useFields<Values extends object>(initial: Values, { draft }: Options = {}) {
  const [state, setState] = useState<State<Values>>(() => begin(initial, draft));
  // What was set a moment ago counts before the page is drawn again: a saved form may be left at once.
  const latest = useRef(state);
  const sent = useRef(state.sent ?? []);
  const { values } = state;
  const [failure, setServiceFailure] = useState<Error | null>(null);
  const [own, setOwn] = useState<readonly PharosProblem[]>();
  function setFailure(error: Error | null) {
    setServiceFailure(error);
    setOwn(undefined);
  }
  const problems = failure instanceof PharosError ? failure.details : (own ?? []);

  const texts = problemTexts(values, problems, failure);

  function change(next: State<Values>) {
    const isUnkept = draft !== undefined && !keep(draft, next, sent.current);
    latest.current = { ...next, isUnkept };
    setState(latest.current);
  }

  function set<Name extends keyof Values & string>(name: Name, value: Values[Name]) {
    const { current } = latest;
    change({ ...current, values: { ...current.values, [name]: value } });
    clearProblem(name);
  }

  function clearProblem(name: string) {
    setOwn((known) => known?.filter(({ field }) => !isWithin(field, name)));
    setServiceFailure((known) => without(known, name));
  }

  return {
    values,
    base: state.base,
    /** What the form has now, even before it is drawn. */
    current: () => latest.current.values,
    currentBase: () => latest.current.base,
    /** Something was typed that is not saved. */
    isDirty: !isSame(state.base, values),
    isDirtyNow: () => !isSame(latest.current.base, latest.current.values),
    /** Set while the form shows a draft from an earlier visit. */
    draftedAt: state.draftedAt,
    /** What is typed is kept on this device. */
    isKept: draft !== undefined && !state.isUnkept,
    set,
    /** Maps a name in an error to another name in the form, such as a member of a list of fields. */
    clearProblem,
    /** Several fields at once. */
    setAll(change: Partial<Values>) {
      for (const [name, value] of Object.entries(change))
        set(name as keyof Values & string, value as Values[keyof Values & string]);
    },
    setFailure,
    /** Problems found by the page itself, before the service is asked. */
    setProblems(found: readonly PharosProblem[]) {
      setServiceFailure(null);
      setOwn(found);
    },
    reset(next: Values = initial) {
      sent.current = [];
      change({ values: next, base: next });
      setFailure(null);
    },
    /** The form continues from what is stored now; what was typed stays. */
    rebase(base: Values, next: Values = latest.current.values) {
      sent.current = [];
      change({ values: next, base });
    },
    /**
     * The `Idempotency-Key` with which a body is sent that creates something: the same as long as the form is not saved, also after a reload, if
     * what is typed is kept. So what is sent again because its answer was lost is done once.
     */
    keyOf(body: object): string {
      const print = printOf(body);
      const known = sent.current.find((one) => one.print === print);
      if (known) return known.key;
      const key = newKey();
      sent.current = [...sent.current, { print, key }].slice(-maxSent);
      if (draft !== undefined) keep(draft, latest.current, sent.current);
      return key;
    },
    /** Whether this has been sent in vain, as far as the page knows. */
    wasSent(body: object): boolean {
      const print = printOf(body);
      return sent.current.some((one) => one.print === print);
    },
    ...texts,
    /** Properties of a number input; an empty one is `''`. */
    number(name: keyof Values & string) {
      return {
        value: values[name] as number | string,
        error: texts.problem(name),
        onChange: (value: number | string) => set(name, value as Values[typeof name]),
      };
    },
    /** Properties of a check box or a switch. */
    checked(name: keyof Values & string) {
      return {
        checked: values[name] === true,
        onChange: (event: { currentTarget: { checked: boolean } }) =>
          set(name, event.currentTarget.checked as Values[typeof name]),
      };
    },
    /** Properties of a text input, or of a choice. */
    text(name: keyof Values & string) {
      return {
        value: String(values[name]),
        error: texts.problem(name),
        onChange: (event: { currentTarget: { value: string } }) =>
          set(name, event.currentTarget.value as Values[typeof name]),
      };
    },
  };
}

/** What is said about the fields, and what is left to say elsewhere. */
function problemTexts<Values extends object>(
  values: Values,
  problems: readonly PharosProblem[],
  failure: Error | null,
) {
  return {
    /** The problem of a field as a sentence. Nested members have dotted names, as in the service's errors. */
    problem(name: string): string | undefined {
      const found = problems.find(({ field }) => field === name);
      // An empty field violates a length rule; the useful message is to fill it in.
      if (found && failure && values[name as keyof Values] === '') return t('Fill this in.');
      return found && sentence(found.problem);
    },
    problemWithin(name: string): string | undefined {
      const found = problems.find(({ field }) => isWithin(field, name));
      return found && sentence(found.problem);
    },
    /** The failure, unless the named fields show it, or any. A name that ends in `.` includes everything inside it. */
    rest(names: readonly string[] = Object.keys(values)): string | undefined {
      if (!failure) return undefined;
      const isShown = (field: string) =>
        names.some((name) => field === name || (name.endsWith('.') && field.startsWith(name)));
      return problems.length > 0 && problems.every(({ field }) => isShown(field)) ? undefined : failure.message;
    },
  };
}

export type Fields<Values extends object> = ReturnType<typeof useFields<Values>>;

/** The values to begin with: over those of the record, what a draft has. */
function begin<Values extends object>(initial: Values, name: string | undefined): State<Values> {
  const draft = name === undefined ? undefined : readDraft(name);
  if (!draft) return { values: initial, base: initial };
  const known = (parts: Parts) => Object.fromEntries(Object.entries(parts).filter(([part]) => part in initial));
  const values = { ...initial, ...known(draft.values) };
  // Of what the draft changes, the form began with what was stored then: a colleague may have changed it since.
  const base = { ...initial, ...known(draft.base) };
  if (isSame(values, initial)) return { values: initial, base: initial };
  return { values, base, draftedAt: draft.at, sent: draft.sent };
}

/** False if there is no room for it. */
function keep<Values extends object>(
  name: string,
  { values, base }: State<Values>,
  sent: readonly SentBody[],
): boolean {
  const changed = changedParts(base as Parts, values as Parts);
  const before = Object.fromEntries(Object.keys(changed).map((part) => [part, (base as Parts)[part]]));
  if (Object.keys(changed).length > 0)
    return writeDraft(name, { values: changed, base: before, ...(sent.length > 0 ? { sent } : {}) });
  removeDraft(name);
  return true;
}

const isWithin = (field: string, name: string) => field === name || field.startsWith(`${name}.`);

/** The failure without the problems of a field; null when nothing is left of it. */
function without(failure: Error | null, name: string): Error | null {
  if (!(failure instanceof PharosError) || failure.details.length === 0) return failure;
  const details = failure.details.filter(({ field }) => !isWithin(field, name));
  if (details.length === failure.details.length) return failure;
  if (details.length === 0) return null;
  const { name: kind, code, status, requestId } = failure;
  const message = details.map(({ field, problem }) => `${field} ${problem}.`).join(' ');
  return new PharosError(message, { name: kind, code, status, requestId, details });
}

function sentence(problem: string): string {
  return `${problem.slice(0, 1).toUpperCase()}${problem.slice(1)}${problem.endsWith('.') ? '' : '.'}`;
}
