import { Group, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { SearchField } from '../../components/list/search-field.tsx';
import { t } from '../../lib/words/words.ts';

export type Found = ReturnType<typeof useFound>;

/**
 * Which parts of a long form have a word in them: in a heading, a label, an explanation or a choice. `asked` is one that somebody has
 * come with; the name of a setting that no part shows hides nothing.
 */
export function useFound(asked?: string) {
  const ref = useRef<HTMLFieldSetElement>(null);
  const [word, setWord] = useState('');
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [count, setCount] = useState(0);
  function find(text: string) {
    const wanted = text.trim().toLocaleLowerCase();
    const parts = [...(ref.current?.querySelectorAll('section[aria-label]') ?? [])];
    const without = parts.filter((part) => !(part.textContent ?? '').toLocaleLowerCase().includes(wanted));
    setWord(text);
    setCount(parts.length - without.length);
    setHidden(new Set(without.map((part) => part.getAttribute('aria-label') ?? '')));
  }
  const begin = useRef(find);
  useEffect(() => {
    const isShown = asked && ref.current?.textContent?.toLocaleLowerCase().includes(asked.toLocaleLowerCase());
    begin.current(isShown ? asked : '');
  }, [asked]);
  return { ref, word, count, find, isHidden: (title: string) => hidden.has(title) };
}

export function FindSetting({ found: { word, count, find } }: { readonly found: Found }) {
  return (
    <Group gap="sm" mb="md" role="search">
      <SearchField hint={t('Find a setting')} value={word} onChange={find} />
      <Text c="dimmed" role="status">
        {word.trim() !== '' &&
          t('{count, plural, =0 {No part has this word.} one {# part has it.} other {# parts have it.}}', { count })}
      </Text>
    </Group>
  );
}
