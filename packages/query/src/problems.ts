/** One broken rule: the member of the request, as a dotted path, and what is wrong with it. */
export interface Problem {
  readonly field: string;
  readonly problem: string;
}

/** More would not help anybody to find the first mistake. */
const maxProblems = 20;
/** UTF-16 units of a caller's name that an answer repeats. */
const maxNameLength = 128;

/** A query that cannot be read: the message states the first problem, `details` lists all of them. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
  readonly details: readonly Problem[];

  constructor(details: readonly Problem[]) {
    super(
      details
        .slice(0, 1)
        .map(({ field, problem }) => `${field} ${problem}.`)
        .join(),
    );
    this.details = details;
  }
}

/** Collects what is wrong with a query, so that a caller learns everything at once. */
export class Problems {
  readonly list: Problem[] = [];

  add(field: string, problem: string): undefined {
    if (this.list.length < maxProblems) this.list.push({ field: field.slice(0, maxNameLength), problem });
  }

  /** @throws QueryError */
  throwIfAny(): void {
    if (this.list.length > 0) throw new QueryError(this.list);
  }
}

export const refuseQuery = (field: string, problem: string) => new QueryError([{ field, problem }]);
