import { PharosError, type PharosProblem } from '@pharos/sdk';
import { useState } from 'react';

/** The values of a small form, with what the service had against each. */
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
    /** What the page itself found, before the service was asked; the fields show it alike. */
    setProblems(found: readonly PharosProblem[]) {
      setServiceFailure(null);
      setOwn(found);
    },
    reset(next: Values = initial) {
      setValues(next);
      setFailure(null);
    },
    /** The sentence below a field, if any. A nested member is named with dots, as the service does. */
    problem(name: string): string | undefined {
      const found = problems.find(({ field }) => field === name);
      // An empty field breaks some rule of length; what it wants is to be filled in.
      if (found && failure && values[name as keyof Values] === '') return 'Fill this in.';
      return found && sentence(found.problem);
    },
    /** The sentence about a member or anything in it. */
    problemWithin(name: string): string | undefined {
      const found = problems.find(({ field }) => field === name || field.startsWith(`${name}.`));
      return found && sentence(found.problem);
    },
    /** What no field of the form shows. A name that ends in `.` stands for all that is in it. */
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
