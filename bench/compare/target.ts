/** What is measured: something that listens on this machine and is asked the same things as the others. */
import type { Load, Measured, Pressure } from './load.ts';

/** In the order in which they run: what makes or removes records comes after what reads, so that all read equally many. */
export const workloads = [
  'get',
  'list',
  'filter',
  'filter-free',
  'download',
  'update',
  'create',
  'create-free',
  'delete',
  'upload',
  'sightings-1',
  'sightings-100',
  'push',
  // Last, because what a client no longer waits for may be worked on for a minute.
  'sign-in',
] as const;
export type Workload = (typeof workloads)[number];

export const workloadTitles: Readonly<Record<Workload, string>> = {
  get: 'get one record',
  list: 'list 100 records',
  filter: 'filter and order on declared columns, 20 of many',
  'filter-free': 'filter on members that no schema declares, 20 of many',
  download: 'download 64 kB',
  'sign-in': 'sign in',
  update: 'update one member',
  create: 'create a record with declared columns',
  'create-free': 'create a record without declared columns',
  delete: 'delete a record',
  upload: 'upload 64 kB',
  'sightings-1': 'sightings, one a batch',
  'sightings-100': 'sightings, 100 a batch',
  push: 'accept a push',
};

export interface Target {
  readonly name: string;
  readonly url: string;
  /** What it promises about an acknowledged write. */
  readonly durability: string;
  /** The service's own process. */
  readonly pid: number;
  /** Other processes whose work is done for it, such as the database's. */
  readonly helpers?: () => readonly number[];
  /** Makes the records. Once, before anything else. */
  fill(records: number): Promise<void>;
  /** What to send for a workload; undefined where the target has nothing alike. */
  load(workload: Workload): Promise<Load | undefined>;
  /** In place of a load where there is no address to send one to; undefined where the target has nothing alike. */
  readonly measure?: (workload: Workload) => ((pressure: Pressure) => Promise<Measured>) | undefined;
  stop(): Promise<void>;
}
