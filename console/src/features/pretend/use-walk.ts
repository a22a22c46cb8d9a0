import { useEffect, useRef, useState } from 'react';
import {
  type Answered,
  type Arrived,
  approach,
  away,
  beside,
  installPhone,
  type PhoneAccess,
} from './pretend-phone.ts';

export type Step = 'coming' | 'beside' | 'leaving' | 'gone';

export interface Walk {
  readonly step: Step;
  /** Undefined until the first report. */
  readonly metres: number | undefined;
  readonly arrived: readonly Arrived[];
  readonly events: Answered['events'];
  /** Of the installation, once it is registered. */
  readonly phoneId: string | undefined;
  readonly failure: string | undefined;
  readonly leave: () => void;
}

const everyMs = 1_000;
/** Seconds beside the beacon, after which the phone goes by itself. */
const maxBeside = 600;

/** Walks a new phone past the beacon, one step a second, until it is gone or the page is left. */
export function useWalk(access: PhoneAccess): Walk {
  const [walk, setWalk] = useState<Omit<Walk, 'leave'>>({
    step: 'coming',
    metres: undefined,
    arrived: [],
    events: [],
    phoneId: undefined,
    failure: undefined,
  });
  const isLeaving = useRef(false);
  const begun = useRef(access);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const change = (next: (known: Omit<Walk, 'leave'>) => Partial<Walk>) =>
      !isOver && setWalk((known) => ({ ...known, ...next(known) }));
    const go = async () => {
      const phone = await installPhone(begun.current, window.location.origin);
      change(() => ({ phoneId: phone.objectId }));
      const hear = async (step: Step, metres: number) => {
        const { messages, events } = await phone.hear(metres);
        change(({ arrived, events: known }) => ({
          step,
          metres,
          arrived: [...messages.filter(({ id }) => !arrived.some((one) => one.id === id)), ...arrived],
          // Who is far away has not come yet, or leaves.
          events: [...known, ...events.filter(({ event }) => event !== 'FAR')],
        }));
        await new Promise<void>((resolve) => {
          timer = setTimeout(resolve, everyMs);
        });
      };
      for (const metres of approach) await hear('coming', metres);
      for (let second = 0; second < maxBeside && !isLeaving.current; second++) await hear('beside', beside);
      for (const metres of away) await hear('leaving', metres);
      change(() => ({ step: 'gone' }));
    };
    go().catch(({ message }: Error) => change(() => ({ failure: message })));
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, []);
  return {
    ...walk,
    leave: () => {
      isLeaving.current = true;
    },
  };
}
