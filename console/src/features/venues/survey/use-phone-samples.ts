import { useEffect, useRef, useState } from 'react';
import { call } from '../../../lib/data/api.ts';

/** What the paired phone hears while somebody surveys with it. */

export interface PhoneSample {
  readonly beacon: string;
  readonly rssi: number;
  readonly txPower?: number | undefined;
  readonly occurredAt: string;
}

const askEveryMs = 2_000;
/** What arrives late is asked for again, ms. */
const overlapMs = 20_000;
/** As the service takes them. */
const maxSamples = 10_000;

export interface Heard {
  readonly samples: readonly PhoneSample[];
  /** The service's clock now, epoch ms; it is that of the samples. */
  readonly clock: () => number;
  readonly isReady: boolean;
  readonly error: Error | undefined;
  readonly forget: () => void;
}

/** `phone`: its objectId; undefined: nobody listens. */
export function usePhoneSamples(appId: string, phone: string | undefined): Heard {
  const [ahead, setAhead] = useState<number>();
  const [error, setError] = useState<Error>();
  const known = useRef(new Map<string, PhoneSample>());
  const [samples, setSamples] = useState<readonly PhoneSample[]>([]);
  useEffect(() => {
    if (phone === undefined) return;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let offset = 0;
    async function ask(installationId: string) {
      try {
        const since = new Date(Date.now() + offset - overlapMs).toISOString();
        const params = { appId, installationId };
        const { result } = await call('listOwnSamples', { params, query: { since } });
        if (isOver) return;
        offset = new Date(result.now).getTime() - Date.now();
        setAhead(offset);
        setError(undefined);
        for (const one of result.samples) {
          if (known.current.size < maxSamples) known.current.set(`${one.beacon} ${one.occurredAt} ${one.rssi}`, one);
        }
        setSamples([...known.current.values()]);
      } catch (failed) {
        if (!isOver) setError(failed as Error);
      }
      if (!isOver) timer = setTimeout(() => void ask(installationId), askEveryMs);
    }
    void ask(phone);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [appId, phone]);
  return {
    samples,
    clock: () => Date.now() + (ahead ?? 0),
    isReady: ahead !== undefined,
    error,
    forget: () => {
      known.current.clear();
      setSamples([]);
    },
  };
}
