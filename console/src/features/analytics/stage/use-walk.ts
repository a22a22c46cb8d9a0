import type { Floor } from '@pharos/sdk';
import { useEffect, useRef, useState } from 'react';
import type { Fields } from '../../../components/form/use-fields.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { withSession } from '../../../lib/data/signing-in.ts';
import { t } from '../../../lib/words/words.ts';
import { type WalkAnswer, type WalkFields, walkBody } from './walk.ts';

/** A walk may take longer to work out than other calls. */
const patienceMs = 180_000;

/** What has to be mended before anybody can walk. */
export function problemsOf({ mode, points, visitors, minutes, when }: WalkFields) {
  return [
    ...(mode === 'way' && points.length < 2
      ? [{ field: 'points', problem: t('A way has at least two points: click on the plan, or let one be suggested') }]
      : []),
    ...(mode === 'roam' && !(Number(visitors) >= 1 && Number(visitors) <= 20)
      ? [{ field: 'visitors', problem: t('must be from 1 to 20') }]
      : []),
    ...(mode === 'roam' && !(Number(minutes) >= 1 && Number(minutes) <= 60)
      ? [{ field: 'minutes', problem: t('must be from 1 to 60') }]
      : []),
    ...(when === '' ? [{ field: 'when', problem: t('choose a day and a time') }] : []),
  ];
}

interface Asking {
  readonly fields: Fields<WalkFields>;
  readonly zone: string;
}

export function useWalk(appId: string, floor: Floor, { fields, zone }: Asking) {
  const [walk, setWalk] = useState<WalkAnswer>();
  const [running, setRunning] = useState<AbortController>();
  const last = useRef<AbortController>(undefined);
  useEffect(() => () => last.current?.abort(), []);
  return {
    walk,
    isBusy: running !== undefined,
    stop: () => last.current?.abort(),
    /** Whether there is a walk to be played. */
    async start(): Promise<boolean> {
      const controller = new AbortController();
      last.current = controller;
      setRunning(controller);
      fields.setFailure(null);
      try {
        const body = walkBody(fields.current(), floor, zone);
        const { signal } = controller;
        setWalk(await withSession(() => dataOf(appId).activity.simulateWalks(body, { signal, timeout: patienceMs })));
        return true;
      } catch (error) {
        if (!controller.signal.aborted) fields.setFailure(error as Error);
        return false;
      } finally {
        setRunning(undefined);
      }
    },
  };
}
