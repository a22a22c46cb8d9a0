import type { ReactNode } from 'react';
import { t } from '../../lib/words/words.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

/** What is asked before a change that stops visitors from being served. */
export interface Stop {
  readonly title: string;
  /** On the button: `Save and switch off`. */
  readonly confirm: string;
  /** What visitors do without, and until when. */
  readonly text: ReactNode;
}

interface Props {
  /** Undefined: nothing is asked. */
  readonly stop: Stop | undefined;
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks for the name of the app before a change that stops visitors from being served. */
export function StopDialog({ stop, isBusy, onConfirm, onClose }: Props) {
  return (
    <ConfirmDialog
      isOpen={stop !== undefined}
      onClose={onClose}
      title={stop?.title ?? ''}
      confirm={stop?.confirm ?? ''}
      isBusy={isBusy}
      failure={undefined}
      onConfirm={onConfirm}
    >
      {stop?.text}
    </ConfirmDialog>
  );
}

/** What a change of the policy or of another record with several consequences means, one sentence each. */
export function stopOf(title: string, confirm: string, sentences: readonly string[]): Stop | undefined {
  if (sentences.length === 0) return undefined;
  const text = (
    <>
      {t('From this moment:')}
      <ul>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  );
  return { title, confirm, text };
}
