import { PharosError, type PharosProblem } from '@pharos/sdk';
import { useState } from 'react';

/** The values of a form and the problems of each field. */
export function useFields<Values extends object>(initial: Values) {
  const [values, setValues] = useState(initial);
  const [failure, setServiceFailure] = useState<Error | null>(null);
  const [own, setOwn] = useState<readonly PharosProblem[]>();
  function setFailure(error: Error | null) {
    setServiceFailure(error);
    setOwn(undefined);
  }
  const problems = failure instanceof PharosError ? failure.details : (own ?? []);

  function set<Name extends keyof Values & string>(name: Name, value: Values[Name]) {
    setValues((known) => ({ ...known, [name]: value }));
  }

  return {
    values,
    set,
    setFailure,
    /** Problems found by the page itself, before the service is asked. */
    setProblems(found: readonly PharosProblem[]) {
      setServiceFailure(null);
      setOwn(found);
    },
    reset(next: Values = initial) {
      setValues(next);
      setFailure(null);
    },
    /** The problem of a field as a sentence. Nested members have dotted names, as in the service's errors. */
    problem(name: string): string | undefined {
      const found = problems.find(({ field }) => field === name);
      // An empty field violates a length rule; the useful message is to fill it in.
      if (found && failure && values[name as keyof Values] === '') return 'Fill this in.';
      return found && sentence(found.problem);
    },
    /** The problem of a field or of anything inside it. */
    problemWithin(name: string): string | undefined {
      const found = problems.find(({ field }) => field === name || field.startsWith(`${name}.`));
      return found && sentence(found.problem);
    },
    /** The failure, unless the named fields show it. A name that ends in `.` includes everything inside it. */
    rest(names: readonly string[]): string | undefined {
      if (!failure) return undefined;
      const isShown = (field: string) =>
        names.some((name) => field === name || (name.endsWith('.') && field.startsWith(name)));
      return problems.length > 0 && problems.every(({ field }) => isShown(field)) ? undefined : failure.message;
    },
    /** Properties of a number input; an empty one is `''`. */
    number(name: keyof Values & string) {
      return {
        value: values[name] as number | string,
        error: this.problem(name),
        onChange: (value: number | string) => set(name, value as Values[typeof name]),
      };
    },
    /** Properties of a text input. */
    text(name: keyof Values & string) {
      return {
        value: String(values[name]),
        error: this.problem(name),
        onChange: (event: { currentTarget: { value: string } }) =>
          set(name, event.currentTarget.value as Values[typeof name]),
      };
    },
  };
}

export type Fields<Values extends object> = ReturnType<typeof useFields<Values>>;

function sentence(problem: string): string {
  return `${problem.slice(0, 1).toUpperCase()}${problem.slice(1)}${problem.endsWith('.') ? '' : '.'}`;
}
