/** A target listens on this machine and gets the same requests as the others. */
import type { Load, Measured, Pressure } from './load.ts';

/**
 * In the order in which they run: workloads that create or remove records come after those that read, so that all read
 * the same number.
 */
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
  'sightings-late',
  'push',
  // Last, because the service may still work for a minute on requests that no client waits for.
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
  'sightings-late': 'sightings, one a batch, every second one late',
  push: 'accept a push',
};

export interface Target {
  readonly name: string;
  readonly url: string;
  /** Its promise about an acknowledged write. */
  readonly durability: string;
  /** The service's own process. */
  readonly pid: number;
  /** The first process of its database, if that is not part of the service. */
  readonly databasePid?: number;
  /** Creates the records. Called once, before anything else. */
  fill(records: number): Promise<void>;
  /** The requests of a workload; undefined if the target has no equivalent. */
  load(workload: Workload): Promise<Load | undefined>;
  /** Replaces a load if there is no address to send one to; undefined if the target has no equivalent. */
  readonly measure?: (workload: Workload) => ((pressure: Pressure) => Promise<Measured>) | undefined;
  stop(): Promise<void>;
}
