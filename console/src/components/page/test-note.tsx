import { Alert, Button } from '@mantine/core';
import { useAction } from '../../lib/actions/use-action.ts';
import { t, translated } from '../../lib/words/words.ts';
import { Block, Icon } from './blocks.tsx';
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

interface ProviderProps {
  readonly about: string;
  readonly run: () => Promise<{ readonly result: TestAnswer }>;
}

export function ProviderTest({ about, run }: ProviderProps) {
  const test = useAction({ run });
  return (
    <Block title={t('Test')} about={about}>
      {test.data && <TestNote answer={test.data.result} />}
      <Button loading={test.isPending} onClick={() => test.mutate()}>
        {t('Test the provider')}
      </Button>
    </Block>
  );
}
