import { Alert } from '@mantine/core';
import { Icon } from './icon.tsx';
import classes from './test-note.module.css';

export interface TestAnswer {
  readonly ok: boolean;
  readonly text: string;
  readonly status?: number | null;
}

interface Props {
  readonly answer: TestAnswer;
  /** The time of an earlier test. */
  readonly at?: string;
}

/** The result of a test, with the exact answer. */
export function TestNote({ answer: { ok, text, status }, at }: Props) {
  return (
    <Alert
      className={classes.answer ?? ''}
      color={ok ? 'teal' : 'red'}
      variant="light"
      role="status"
      icon={<Icon name={ok ? 'check' : 'warning'} />}
      title={`${ok ? 'It works' : 'It does not work'}${status == null ? '' : ` (HTTP ${status})`}`}
    >
      {text}
      {at && <div>Tested {at}</div>}
    </Alert>
  );
}
