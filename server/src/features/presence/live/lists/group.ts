import { fail } from '../../../../base/errors.ts';
import type { FairQueue } from '../../../../base/fair-queue.ts';
import { Waiters } from '../../../../base/flow/waiters.ts';
import type { CurrentList, FollowedList } from '../../../../http/endpoint.ts';
import { type ListState, listText, type Page, readyText, stateOf, stepText } from './steps.ts';

export interface Listener {
  readonly list: FollowedList;
  /** The list is no longer the listener's. */
  readonly end: () => void;
}

interface Step {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

export interface ReadList {
  readonly page: Page;
  readonly state: ListState;
}

/** Steps that are kept for listeners who are behind, in characters; whoever is further behind is sent the whole list. */
const keptCharacters = 262_144;
const maxKept = 100;
/** The pause after a reading, as a multiple of its duration, so that a slow list takes a small part of the time. */
const restFactor = 3;
const maxRestMs = 30_000;
/** If more records than these have changed, the list is read without asking whether they are of it. */
const maxChanged = 64;

/** One question to a list, for all who are answered the same: it is asked once for all of them when something has changed. */
export class ListGroup {
  readonly appId: string;
  readonly table: string;
  /** The question; undefined: nobody else is answered the same. */
  readonly sharedAs: string | undefined;
  /** The queue for all groups of the app. */
  readonly turns: FairQueue;
  readonly #listeners = new Set<Listener>();
  readonly #waiting = new Waiters();
  #state: ListState | undefined;
  /** The compiled question, until something other than records has changed. */
  #asked: CurrentList | undefined;
  #steps: Step[] = [];
  #keptCharacters = 0;
  #changed: Set<string> | 'any' | undefined;
  #readers: { readonly resolve: (list: ReadList) => void; readonly reject: (error: unknown) => void }[] = [];
  #isReading = false;

  constructor(appId: string, { table, sharedAs }: Pick<CurrentList, 'table' | 'sharedAs'>, turns: FairQueue) {
    this.appId = appId;
    this.table = table;
    this.sharedAs = sharedAs;
    this.turns = turns;
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  join(listener: Listener): void {
    this.#listeners.add(listener);
  }

  leave(listener: Listener): void {
    this.#listeners.delete(listener);
  }

  /** These records were written; undefined: some, or something else that the list depends on. */
  note(objectIds: readonly string[] | undefined): void {
    if (objectIds === undefined) this.#asked = undefined;
    if (objectIds === undefined || this.#changed === 'any') this.#changed = 'any';
    else this.#changed = new Set([...(this.#changed ?? []), ...objectIds]);
    if (this.#changed !== 'any' && this.#changed.size > maxChanged) this.#changed = 'any';
    this.#read();
  }

  /** The list as it is now: from a reading that begins after this call. */
  now(): Promise<ReadList> {
    return new Promise((resolve, reject) => {
      if (this.isEmpty) return reject(fail('ObjectNotFound'));
      this.#readers.push({ resolve, reject });
      this.#read();
    });
  }

  /** What has happened since a state: nothing yet (empty), or undefined where that is no longer known. */
  since(name: string): readonly Step[] | undefined {
    if (name === this.#state?.name) return [];
    // A list may have been in the same state before.
    const first = this.#steps.findLastIndex(({ from }) => from === name);
    return first < 0 ? undefined : this.#steps.slice(first);
  }

  /** Resolves when there may be something new, after the time, or when the signal aborts. */
  news(waitMs: number, signal: AbortSignal): Promise<void> {
    return this.#waiting.wait(waitMs, signal);
  }

  #read(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    void this.#readUntilDone().finally(() => {
      this.#isReading = false;
      // Something may have come between the last look and here.
      if (this.#isDue) this.#read();
    });
  }

  get #isDue(): boolean {
    return this.#listeners.size > 0 && (this.#changed !== undefined || this.#readers.length > 0);
  }

  async #readUntilDone(): Promise<void> {
    while (this.#isDue) {
      const begun = performance.now();
      try {
        await this.turns.run(this.appId, () => this.#readOnce());
      } catch (error) {
        this.#fail(error);
        return;
      }
      const restMs = Math.min(maxRestMs, restFactor * (performance.now() - begun));
      // Too short for a timer.
      if (restMs > 5) await rest(restMs);
    }
  }

  async #readOnce(): Promise<void> {
    const [changed, readers] = [this.#changed, this.#readers];
    [this.#changed, this.#readers] = [undefined, []];
    try {
      const isAsked = readers.length > 0 || changed === 'any' || this.#state === undefined;
      if (!isAsked && !(await this.#concerns([...(changed ?? [])]))) return;
      const read = this.#take((await (await this.#ask()).read()) as Page);
      for (const { resolve } of readers) resolve(read);
    } catch (error) {
      for (const { reject } of readers) reject(error);
      throw error;
    }
  }

  /** Asks as one of the listeners. Those for whom the question has become another, or who may no longer ask it, leave. */
  async #ask(): Promise<CurrentList> {
    for (const listener of [...this.#listeners]) {
      const asked = await listener.list.ask().catch(() => undefined);
      if (asked && asked.sharedAs === this.sharedAs) {
        this.#asked = asked;
        return asked;
      }
      this.#listeners.delete(listener);
      listener.end();
    }
    throw fail('ObjectNotFound');
  }

  async #concerns(changed: readonly string[]): Promise<boolean> {
    if (changed.some((id) => this.#state?.digests.has(id))) return true;
    return (this.#asked ?? (await this.#ask())).mayHave(changed);
  }

  #take(page: Page): ReadList {
    const [before, state] = [this.#state, stateOf(page)];
    if (before?.name === state.name) return { page, state: before };
    this.#state = state;
    if (before) this.#keep({ from: before.name, to: state.name, text: stepText(before, page, state) });
    this.#waiting.wake();
    return { page, state };
  }

  #keep({ from, to, text }: Omit<Step, 'text'> & { readonly text: string | undefined }): void {
    if (text === undefined) {
      // Whoever waits is sent the whole list.
      [this.#steps, this.#keptCharacters] = [[], 0];
      return;
    }
    this.#steps.push({ from, to, text });
    this.#keptCharacters += text.length;
    while (this.#keptCharacters > keptCharacters || this.#steps.length > maxKept)
      this.#keptCharacters -= this.#steps.shift()?.text.length ?? 0;
  }

  /** Clients connect again, and then go on or get the error. */
  #fail(error: unknown): void {
    for (const { reject } of this.#readers) reject(error);
    [this.#readers, this.#changed] = [[], undefined];
    for (const listener of this.#listeners) listener.end();
    this.#listeners.clear();
  }
}

/** The events that bring a listener from a state to the present one, each portion with the state that it leads to. */
export async function* followGroup(
  group: ListGroup,
  cursor: string | undefined,
  { signal, heartbeatMs }: { readonly signal: AbortSignal; readonly heartbeatMs: number },
): AsyncGenerator<string> {
  const first = await group.now();
  yield cursor === first.state.name ? readyText(cursor) : listText(first.page, first.state);
  let at = first.state.name;
  let dueAt = performance.now() + heartbeatMs;
  while (!signal.aborted) {
    const steps = group.since(at);
    const last = steps?.at(-1);
    if (last) {
      yield (steps ?? []).map(({ text }) => text).join('');
      at = last.to;
    } else if (steps) await group.news(Math.max(0, dueAt - performance.now()), signal);
    else {
      const { page, state } = await group.now();
      yield listText(page, state);
      at = state.name;
    }
    if (last || !steps) dueAt = performance.now() + heartbeatMs;
    else if (!signal.aborted && performance.now() >= dueAt) {
      yield ': \n\n';
      dueAt = performance.now() + heartbeatMs;
    }
  }
}

const rest = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref());
