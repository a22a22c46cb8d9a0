import { type Failure, fail, type Problem } from '../base/errors.ts';

/** More would not help anybody to find the first mistake. */
const maxProblems = 20;
/** UTF-16 units of a caller's name that an answer repeats. */
const maxNameLength = 128;

/** Collects what is wrong with a query, so that a caller learns everything at once. */
export class Problems {
  readonly list: Problem[] = [];

  add(field: string, problem: string): undefined {
    if (this.list.length < maxProblems) this.list.push({ field: field.slice(0, maxNameLength), problem });
  }

  throwIfAny(): void {
    if (this.list.length > 0) throw invalidQuery(this.list);
  }
}

/** An InvalidQuery (102) that states the first problem and lists all of them. */
export function invalidQuery(details: readonly Problem[]): Failure {
  const first = details[0];
  return fail('InvalidQuery', first === undefined ? {} : { message: `${first.field} ${first.problem}.`, details });
}

export function refuseQuery(field: string, problem: string): Failure {
  return invalidQuery([{ field, problem }]);
}
