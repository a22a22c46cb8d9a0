import type { IconName } from '../../lib/icon-paths.ts';

/** What the search over everything can lead to. */
export interface PaletteEntry {
  readonly key: string;
  readonly label: string;
  /** What it is: `Page`, `Notification`. */
  readonly kind: string;
  readonly icon: IconName;
  readonly to: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly search?: Readonly<Record<string, string>>;
}
