import { Alert } from '@mantine/core';
import { t, translated } from '../../lib/words/words.ts';
import { Icon } from './blocks.tsx';
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
      role="status"
      icon={<Icon name={ok ? 'check' : 'warning'} />}
      title={t(
        '{hasOk, select, true {It works} other {It does not work}}{hasStatus, select, true {} other { (HTTP {status})}}',
        { hasOk: Boolean(ok), status, hasStatus: status == null },
      )}
    >
      {translated(text)}
      {at && <div>{t('Tested {at}', { at })}</div>}
    </Alert>
  );
}
