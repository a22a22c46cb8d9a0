import { isObject } from '@pharos/query';
import { isMotion } from '../../../motion.ts';
import { readTelemetry } from '../../../telemetry.ts';
import type { ItemProblem, Report } from '../stages/stages.ts';

type Told = Pick<Report, 'telemetry' | 'motion'>;

/** What a sighting tells besides: of the beacon, and of the phone. What cannot be used is a problem, and the sighting counts. */
export function toldWith(
  raw: unknown,
  index: number,
): { readonly told: Told; readonly problems: readonly ItemProblem[] } {
  const { telemetry: sent, motion } = isObject(raw) ? raw : {};
  const telemetry = sent === undefined ? undefined : readTelemetry(sent);
  const problem = (name: string, message: string) => ({
    ...{ index, code: `bad_${name}`, field: name },
    message: `${message} The sighting counts.`,
  });
  return {
    told: { ...(isObject(telemetry) ? { telemetry } : {}), ...(isMotion(motion) ? { motion } : {}) },
    problems: [
      ...(typeof telemetry === 'string' ? [problem('telemetry', `telemetry${telemetry}`)] : []),
      ...(motion === undefined || isMotion(motion)
        ? []
        : [problem('motion', 'motion must be still, walking or vehicle, or left out.')]),
    ],
  };
}
