import { CloseButton, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../lib/words/words.ts';
import { Icon } from '../page/blocks.tsx';
import classes from './list.module.css';
import { maxText } from './list-search.ts';

interface Props {
  readonly value: string;
  readonly hint: string;
  readonly onChange: (value: string) => void;
}

const pauseMs = 250;

/** Searches after a short pause in typing. */
export function SearchField({ value, hint, onChange }: Props) {
  const [text, setText] = useState(value);
  const reported = useRef(value);
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    // Something else changed the address, such as the browser's back button.
    if (value !== reported.current) setText(value);
    reported.current = value;
  }, [value]);
  useEffect(() => {
    if (text === reported.current) return;
    const timer = setTimeout(() => {
      reported.current = text;
      latest.current(text);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <TextInput
      className={classes.search}
      type="search"
      maxLength={maxText}
      aria-label={hint}
      placeholder={hint}
      leftSection={<Icon name="search" size={16} />}
      rightSection={
        text ? <CloseButton size="sm" aria-label={t('Clear the search')} onClick={() => setText('')} /> : undefined
      }
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
}
