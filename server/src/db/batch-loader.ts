interface Waiting<Question, Answer> {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches simultaneous queries: all queries of one tick of the event loop become one call of `ask`, which answers them in order.
 */
export class BatchLoader<Question, Answer> {
  readonly #ask: (questions: readonly Question[]) => Promise<readonly Answer[]>;
  #waiting: Waiting<Question, Answer>[] = [];

  constructor(ask: (questions: readonly Question[]) => Promise<readonly Answer[]>) {
    this.#ask = ask;
  }

  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject });
      // After all promises that are settled by now: all who waited for the same answer have sent their next query.
      if (this.#waiting.length === 1) process.nextTick(() => void this.#askAll());
    });
  }

  async #askAll(): Promise<void> {
    const asked = this.#waiting;
    this.#waiting = [];
    try {
      const answers = await this.#ask(asked.map(({ question }) => question));
      for (const [index, { resolve }] of asked.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}

/**
 * Like `Promise.all`, but waits for the end of all of them, even when one fails: nothing of theirs is in progress afterwards.
 *
 * @throws what the first one of them, in their order, was rejected with
 */
export async function allDone<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(promises);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
