import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

const intervalMs = 1_500;

/** Reads a page again and again while something on it changes, without showing it as loading. */
export function useFollowed(queryKey: QueryKey, read: () => Promise<unknown>, isActive: boolean): void {
  const queries = useQueryClient();
  const key = JSON.stringify(queryKey);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for what is read
  useEffect(() => {
    if (!isActive) return;
    const timer = setInterval(async () => {
      if (document.hidden) return;
      try {
        queries.setQueryData(JSON.parse(key) as QueryKey, await read());
      } catch {
        // The next attempt may succeed; errors show when the list itself is read.
      }
    }, intervalMs);
    return () => clearInterval(timer);
  }, [key, isActive, queries]);
}
