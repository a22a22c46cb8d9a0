import type { Identity, Telemetry } from '../types.ts';

/** What one frame in an advertisement says; undefined where it is none of the reader's frames. */
export interface Frame {
  readonly identity?: Identity | undefined;
  readonly txPower?: number | undefined;
  readonly name?: string | undefined;
  readonly telemetry?: Telemetry | undefined;
  /** Why not all of it could be read. */
  readonly problem?: string | undefined;
}
