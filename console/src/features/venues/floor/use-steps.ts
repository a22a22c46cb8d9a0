import { PharosError } from '@pharos/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useAction } from '../../../lib/actions/use-action.ts';
import { planKeys } from '../../../lib/data/venue-queries.ts';

export interface Step {
  /** As the end of "Undo: ". */
  readonly label: string;
  /** It may follow another with its label that is being stored, as a key that is pressed again does; else that is a double click. */
  readonly isRepeatable?: true;
  readonly run: () => Promise<unknown>;
  /** Takes it back. */
  readonly undo: () => Promise<unknown>;
  /** What the page shows until the service has answered, and once it is taken back. */
  readonly expect?: () => void;
  readonly expectUndo?: () => void;
  /** The service has refused it, and the page will show again what is stored. */
  readonly refused?: (() => void) | undefined;
}

const maxSteps = 50;

/** There is no network, or the service has too much to do: the same may be done later. */
const isForNow = (error: unknown) =>
  error instanceof PharosError && (error.status === 0 || error.status === 429 || error.status >= 500);

/** A step, and by which press: the same press twice is a double click. */
interface Pressed {
  readonly step: Step;
  readonly press: number;
}

/** What was last stored. */
export interface News {
  readonly label: string;
  readonly isUndone: boolean;
}

/** Carries out one after the other. */
function useTurns() {
  const last = useRef<Promise<unknown>>(Promise.resolve());
  return <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.current.catch(() => undefined).then(work);
    last.current = next;
    return next;
  };
}

/** Runs one change after the other, and remembers how to undo each. Each press of *Undo* takes back a step of its own, in its turn. */
export function useSteps(appId: string) {
  /** What can be taken back, also what is still being stored; the oldest first. */
  const steps = useRef<readonly Step[]>([]);
  /** Which one of all steps each is. */
  const places = useRef(new WeakMap<Step, number>());
  /** Number of changes being stored; a ref, since it must be right before the page is drawn again. */
  const open = useRef(0);
  /** Steps that are to be taken back, before that has begun. */
  const waiting = useRef(0);
  /** What could not be taken back: nothing that was to follow it is taken back, either. */
  const stuck = useRef<{ readonly error: unknown }>(undefined);
  /** How many there were. */
  const count = useRef(0);
  /** Those of them that were not stored. */
  const failed = useRef<Step[]>([]);
  const unstored = useRef(new WeakSet<Step>());
  const [undoLabel, setLabel] = useState<string>();
  const [news, setNews] = useState<News>();
  const refresh = planKeys(appId);
  const inTurn = useTurns();
  const placeOf = (step: Step) => places.current.get(step) ?? 0;
  const remember = (kept: readonly Step[]) => {
    steps.current = kept.toSorted((a, b) => placeOf(a) - placeOf(b)).slice(-maxSteps);
    setLabel(steps.current.at(-1)?.label);
  };
  const queries = useQueryClient();
  const readAgain = () => Promise.all(refresh.map((queryKey) => queries.invalidateQueries({ queryKey })));
  // What is stored while more is waiting would put back on the plan what the next changes begin from.
  const readWhenDone = () => (open.current <= 0 && waiting.current <= 0 ? readAgain() : undefined);
  /** What was expected has not happened. Without a network it cannot be read again, and must not look as if it were stored. */
  const reload = () => {
    if (open.current === 0) {
      // From the last one back: each knows what there was before it.
      for (const step of failed.current.toReversed()) step.expectUndo?.();
      failed.current = [];
    }
    void readAgain();
  };
  const run = useAction<Pressed>({
    run: async ({ step }) => {
      try {
        await inTurn(step.run);
        open.current--;
        setNews({ label: step.label, isUndone: false });
      } catch (error) {
        open.current--;
        unstored.current.add(step);
        failed.current.push(step);
        remember(steps.current.filter((one) => one !== step));
        setNews(undefined);
        step.refused?.();
        throw error;
      } finally {
        if (failed.current.length > 0) reload();
      }
    },
    after: readWhenDone,
    showsError: true,
  });
  const takeBack = async (step: Step) => {
    const { current: before } = stuck;
    if (--waiting.current === 0) stuck.current = undefined;
    // It was refused in the meantime: there is nothing to take back, and the step before it stays.
    if (unstored.current.has(step)) return;
    if (before) {
      remember([...steps.current, step]);
      throw before.error;
    }
    step.expectUndo?.();
    try {
      await step.undo();
      setNews({ label: step.label, isUndone: true });
    } catch (error) {
      // The next try finds it where it was.
      if (isForNow(error)) {
        remember([...steps.current, step]);
        step.expect?.();
      }
      if (waiting.current > 0) stuck.current = { error };
      setNews(undefined);
      throw error;
    }
  };
  const back = useAction<Pressed>({
    run: async ({ step }) => {
      try {
        await inTurn(() => takeBack(step));
      } catch (error) {
        reload();
        throw error;
      }
    },
    after: readWhenDone,
    showsError: true,
  });
  return {
    commit: (step: Step) => {
      if (!run.mutate({ step, press: step.isRepeatable ? ++count.current : 0 })) return;
      open.current++;
      back.reset();
      places.current.set(step, ++count.current);
      remember([...steps.current, step]);
      step.expect?.();
    },
    /** Does nothing if there is nothing to take back. */
    undo: () => {
      const step = steps.current.at(-1);
      if (!step || !back.mutate({ step, press: ++count.current })) return;
      if (!run.isPending) run.reset();
      waiting.current++;
      remember(steps.current.slice(0, -1));
    },
    /** What would be taken back next; the first change can be while it is being stored, too. */
    undoLabel,
    canUndo: undoLabel !== undefined,
    news,
    isStoring: run.isPending,
    isUndoing: back.isPending,
    error: run.error ?? back.error,
  };
}
