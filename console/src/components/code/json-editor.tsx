import { Input } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { loadPart } from '../../lib/actions/load-part.ts';
import classes from './json-editor.module.css';

const Surface = lazy(() => loadPart(() => import('./json-surface.tsx')));

interface Props {
  readonly label: string;
  readonly description?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error?: string | undefined;
  readonly isReadOnly?: boolean;
}

/** A JSON editor with syntax colours, matching brackets and error marks. It is loaded on first use. */
export function JsonEditor({ label, description, value, onChange, error, isReadOnly = false }: Props) {
  return (
    <Input.Wrapper label={label} description={description} error={error} labelElement="div">
      <div className={error ? `${classes.frame} ${classes.broken}` : classes.frame}>
        <Suspense fallback={<pre className={classes.waiting}>{value}</pre>}>
          <Surface label={label} value={value} onChange={onChange} isReadOnly={isReadOnly} />
        </Suspense>
      </div>
    </Input.Wrapper>
  );
}
