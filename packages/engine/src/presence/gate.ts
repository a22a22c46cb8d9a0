import type { GateState, Sensitivity } from './types.ts';

/** How certain the engine must be before a boundary counts as crossed. Factors of the radius; holds in milliseconds. */
export interface GateTuning {
  readonly inFactor: number;
  readonly inHold: number;
  readonly inSamples: number;
  readonly outFactor: number;
  readonly outHold: number;
  readonly outSamples: number;
}

/**
 * `stable`: in at ≤ 5/6 × radius held 2 s with two samples or more, out at ≥ 1.5 × held 5 s.
 * `fast`: in at once at ≤ 0.8 ×, out like `stable`: being quick matters on the way in; nobody waits for an EXIT.
 * ADR 5 says what the design's own figures (0.8 × for `stable`, out at 1.2 × at once for `fast`) gave on recorded walks.
 */
const WAY_OUT = { outFactor: 1.5, outHold: 5_000, outSamples: 2 };

export const GATE_TUNING: Readonly<Record<Sensitivity, GateTuning>> = {
  stable: { inFactor: 5 / 6, inHold: 2_000, inSamples: 2, ...WAY_OUT },
  fast: { inFactor: 0.8, inHold: 0, inSamples: 1, ...WAY_OUT },
};

/** For a sender whose next report comes minutes later: one sample says that somebody came, two that they left. */
export const SPARSE_TUNING: GateTuning = { inFactor: 5 / 6, inHold: 0, inSamples: 1, ...WAY_OUT };

export function newGate(): GateState {
  return { inside: null, toward: null, since: 0, count: 0 };
}

/**
 * Shows the gate one estimate (metres, ms). True when it has just changed sides; `gate.since` is then the moment at which
 * the visitor began to be on the new side. Between the factors nothing is pending and nothing changes.
 */
export function updateGate(gate: GateState, distance: number, at: number, radius: number, tuning: GateTuning): boolean {
  const toward = distance <= tuning.inFactor * radius ? 'in' : distance >= tuning.outFactor * radius ? 'out' : null;
  if (toward === null || gate.inside === (toward === 'in')) {
    gate.toward = null;
    return false;
  }
  if (gate.toward !== toward) {
    gate.toward = toward;
    gate.since = at;
    gate.count = 0;
  }
  gate.count++;
  const hold = toward === 'in' ? tuning.inHold : tuning.outHold;
  const samples = toward === 'in' ? tuning.inSamples : tuning.outSamples;
  if (at - gate.since < hold || gate.count < samples) return false;
  gate.inside = toward === 'in';
  gate.toward = null;
  return true;
}
