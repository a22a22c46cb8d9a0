import { entityTag, type PharosProblem } from '@pharos/sdk';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useAction } from '../../lib/actions/use-action.ts';
import { useSession } from '../../lib/data/access.ts';
import { t } from '../../lib/words/words.ts';
import type { Stop } from '../dialogs/confirm-dialog.tsx';
import { type Choice, changedParts, type Difference, differences, isSame, merged, type Parts } from './differences.ts';
import { useFields } from './use-fields.ts';
import { asItIsNow, isChanged } from './use-one-click.ts';

/** What the form of a record is given by the page around it. `Done`: what the page needs of what was saved. */
export interface RecordFormProps<Stored, Done = string> {
  readonly appId: string;
  /** The one to edit; without it, a new one is created. */
  readonly record?: Stored;
  /** The one to copy. */
  readonly model?: Stored;
  readonly onDone: (saved: Done) => void;
  readonly onCancel: () => void;
}

/** How a form on a record reads, compares and writes it. */
export interface RecordFormOptions<Stored extends object, Values extends object, Saved> {
  /** Names the form, for the draft on this device: `notification <id>`, or `notification new` with the app. */
  readonly name: string;
  /** The record as the page knows it now; undefined for a new one. */
  readonly record: Stored | undefined;
  /** What a new form begins with; `fieldsOf(undefined)` unless given. */
  readonly start?: Values;
  readonly fieldsOf: (record?: Stored) => Values;
  /** Every member that the form writes. Members that it does not show are kept from `known`. */
  readonly bodyOf: (values: Values, known?: Stored) => object;
  /** The form has credentials: no draft is kept on this device, and a change cannot be undone, since the old ones are unknown. */
  readonly hasCredentials?: true;
  /** A few clicks in a dialog: nothing of it is kept on this device. */
  readonly isBrief?: true;
  /** Whether a change can be undone; always unless given, except with credentials. */
  readonly isUndoable?: boolean;
  /** What the page finds wrong by itself, before anything is sent. */
  readonly check?: (values: Values) => readonly PharosProblem[];
  /** What is asked before a change is saved that stops visitors from being served. */
  readonly stop?: (before: Values, after: Values) => Stop | undefined;
  /** What is compared and chosen one by one when somebody else has saved first; the fields unless given. */
  readonly parts?: { readonly of: (values: Values) => Parts; readonly join: (parts: Parts) => Values };
  readonly read: () => Promise<Stored>;
  /** Writes the members that have changed, if the record still has the tag. Answers what has the new tag. */
  readonly change: (members: object, ifMatch: string | undefined) => Promise<Saved>;
  /** `again`: its key, with which it is created once however often it is sent; of the data of an app. */
  readonly create?: (body: object, again: { readonly idempotencyKey: string }) => Promise<Saved>;
  readonly done?: string | ((values: Values) => string) | undefined;
  readonly refresh: readonly QueryKey[];
  readonly after?: (saved: Saved | undefined) => unknown;
  /** The field, or the part, in words, and its value, where somebody else's change is shown. */
  readonly labels: Readonly<Record<string, string>> | ((name: string) => string | undefined);
  readonly show?: Readonly<Record<string, (value: never) => ReactNode>>;
}

/** What somebody else has saved while the form was open, for a person to choose from. */
export interface Conflict {
  readonly differences: readonly Difference[];
  readonly keep: (choices: Readonly<Record<string, Choice>>) => void;
  readonly close: () => void;
}

/** A question that is open before the form is saved. */
export interface OpenStop {
  readonly stop: Stop | undefined;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** What the service answers to a record that is created or changed. */
export interface SavedRecord {
  readonly objectId?: string;
  readonly updatedAt?: string;
}

interface Written<Saved> {
  /** Undefined when nothing had changed. */
  readonly saved?: Saved | undefined;
  readonly undo?: (() => Promise<unknown>) | undefined;
  readonly differences?: readonly Difference[];
}

/**
 * A form on a record that others may change at the same time. Only members that were changed here are sent, and only if
 * the record is still the one they were compared with; else a person sees what somebody else has saved, and chooses.
 * While the record is read again in the background, what was typed stays.
 */
export function useRecordForm<Stored extends object, Values extends object, Saved extends object>(
  options: RecordFormOptions<Stored, Values, Saved>,
) {
  const { record, fieldsOf, name, start, hasCredentials, isBrief, isUndoable = true } = options;
  const { adminId } = useSession();
  const draft = hasCredentials || isBrief ? undefined : `${adminId} ${name}`;
  const form = useFields<Values>(record ? fieldsOf(record) : (start ?? fieldsOf()), { draft });
  const queries = useQueryClient();
  const known = useRef(record);
  const [found, setFound] = useState<readonly Difference[]>();
  const stored = record && fieldsOf(record);
  const isOutdated = stored !== undefined && form.isDirty && !isSame(stored, form.base);
  // A saved form does not fall back to the record as it was, which the page still knows for a moment.
  const replaced = useRef<Values>(undefined);
  useFreshRecord({ form, record, stored, known, replaced });

  const partsOf = (values: Values) => options.parts?.of(values) ?? (values as Parts);
  const save = useAction<void, Written<Saved>>({
    run: async () => {
      const written = await write(options, form, known);
      if (written.saved) replaced.current = stored;
      return written;
    },
    done: ({ saved, differences: open }) => {
      if (open) return undefined;
      if (!saved) return t('Nothing was changed.');
      return typeof options.done === 'function' ? options.done(form.current()) : options.done;
    },
    undo: record && !hasCredentials && isUndoable ? (written) => written.undo?.() ?? Promise.resolve() : undefined,
    isUndoable: ({ undo }) => undo !== undefined,
    showsError: true,
    after: async ({ saved, differences: open }) => {
      if (open) return setFound(open);
      await Promise.all(options.refresh.map((queryKey) => queries.invalidateQueries({ queryKey })));
      await options.after?.(saved);
    },
  });
  const [stop, setStop] = useState<Stop>();
  function submit() {
    const problems = options.check?.(form.current()) ?? [];
    if (problems.length > 0) return form.setProblems(problems);
    const asked = known.current && options.stop?.(fieldsOf(known.current), form.current());
    if (asked) setStop(asked);
    else send();
  }
  function send() {
    setStop(undefined);
    form.setFailure(null);
    save.mutate(undefined, { onError: form.setFailure });
  }
  const question: OpenStop = { stop, onConfirm: send, onClose: () => setStop(undefined) };
  const conflict: Conflict | undefined = found && {
    differences: found,
    close: () => setFound(undefined),
    keep(choices) {
      setFound(undefined);
      const theirs = known.current ? fieldsOf(known.current) : form.currentBase();
      // The page may still have the former record, to which a form with nothing typed would fall back.
      replaced.current = stored;
      const all = { base: partsOf(form.currentBase()), mine: partsOf(form.current()), theirs: partsOf(theirs) };
      const next = merged(all, choices);
      form.rebase(theirs, options.parts?.join(next) ?? (next as Values));
      submit();
    },
  };
  const { labels, show } = options;
  return { form, submit, isBusy: save.isPending, conflict, question, isOutdated, labels, show };
}

/** A form that creates something, with a draft on this device. Not for passwords and keys. */
export function useDraftFields<Values extends object>(name: string, initial: Values) {
  const { adminId } = useSession();
  return useFields<Values>(initial, { draft: `${adminId} ${name}` });
}

export type RecordForm<Values extends object> = Omit<
  ReturnType<typeof useRecordForm<object, Values, object>>,
  'labels' | 'show'
> &
  Pick<RecordFormOptions<object, Values, object>, 'labels' | 'show'>;

/** A form in which nothing was typed follows the record; one with something typed stays as it is. */
function useFreshRecord<Stored extends object, Values extends object>(all: {
  readonly form: ReturnType<typeof useFields<Values>>;
  readonly record: Stored | undefined;
  readonly stored: Values | undefined;
  readonly known: { current: Stored | undefined };
  readonly replaced: { current: Values | undefined };
}) {
  const { form, record, stored, known, replaced } = all;
  useEffect(() => {
    if (!record || !stored) return;
    if (replaced.current && isSame(stored, replaced.current)) return;
    replaced.current = undefined;
    if (form.isDirtyNow()) return;
    known.current = record;
    if (!isSame(stored, form.base)) form.reset(stored);
  });
}

/** @throws PharosError */
async function write<Stored extends object, Values extends object, Saved extends object>(
  options: RecordFormOptions<Stored, Values, Saved>,
  form: ReturnType<typeof useFields<Values>>,
  known: { current: Stored | undefined },
): Promise<Written<Saved>> {
  const { record, create, fieldsOf, bodyOf, parts } = options;
  const partsOf = (values: Values) => parts?.of(values) ?? (values as Parts);
  const values = form.current();
  if (!record) {
    const body = bodyOf(values);
    const saved = await create?.(body, { idempotencyKey: form.keyOf(body) });
    form.rebase(values);
    return { saved };
  }
  return asItIsNow(async () => {
    const now = await options.read();
    known.current = now;
    const theirs = fieldsOf(now);
    const all = { base: partsOf(form.currentBase()), mine: partsOf(values), theirs: partsOf(theirs) };
    const open = differences(all);
    if (open.length > 0) return { differences: open };
    const before = bodyOf(theirs, now);
    const members = changedParts(before as Parts, bodyOf(values, now) as Parts);
    if (Object.keys(members).length === 0) return done(form, theirs, {});
    const saved = await options.change(members, entityTag(now));
    return done(form, values, { saved, undo: undoing(options, { before: before as Parts, members, saved }) });
  });
}

function done<Values extends object, Saved>(
  form: ReturnType<typeof useFields<Values>>,
  values: Values,
  written: Written<Saved>,
): Written<Saved> {
  form.rebase(values, values);
  return written;
}

interface Made<Saved> {
  readonly before: Parts;
  readonly members: Parts;
  readonly saved: Saved;
}

/** Undoes the change, unless somebody has changed the record since. */
function undoing<Stored extends object, Values extends object, Saved extends object>(
  { change }: RecordFormOptions<Stored, Values, Saved>,
  { before, members, saved }: Made<Saved>,
): () => Promise<unknown> {
  const former = Object.fromEntries(Object.keys(members).map((name) => [name, before[name] ?? null]));
  return async () => {
    try {
      return await change(former, entityTag(saved));
    } catch (error) {
      if (!isChanged(error)) throw error;
      throw new Error(t('Somebody has changed it since, so it stays as it is now.'));
    }
  };
}
