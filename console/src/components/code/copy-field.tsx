import { ActionIcon, Text, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { copyText } from '../../lib/actions/clipboard.ts';
import { t } from '../../lib/words/words.ts';
import { Icon } from '../page/blocks.tsx';
import classes from './code.module.css';

/** Copies `text` and confirms it for a moment. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready');
  const said = {
    ready: t('Copy {label}', { label }),
    copied: t('Copied'),
    failed: t('Copying failed; select the text instead'),
  };
  async function copy() {
    setState((await copyText(text)) ? 'copied' : 'failed');
    setTimeout(() => setState('ready'), 2_500);
  }
  return (
    <Tooltip label={said[state]}>
      <ActionIcon
        variant="subtle"
        color={state === 'copied' ? 'teal' : 'gray'}
        aria-label={said[state]}
        onClick={() => void copy()}
      >
        <Icon name={state === 'copied' ? 'check' : 'copy'} />
      </ActionIcon>
    </Tooltip>
  );
}

interface Props {
  readonly label: string;
  readonly text: string;
  /** Keeps line breaks. */
  readonly isBlock?: boolean;
}

/** A value with a button that copies it. */
export function CopyField({ label, text, isBlock = false }: Props) {
  return (
    <div>
      <Text fw={550} mb={4}>
        {label}
      </Text>
      <div className={`${classes.code} ${classes.field}`}>
        <code className={isBlock ? classes.block : undefined}>{text}</code>
        <CopyButton text={text} label={label} />
      </div>
    </div>
  );
}
