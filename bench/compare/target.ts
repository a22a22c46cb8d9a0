/** What is measured: something that listens on this machine and is asked the same things as the others. */

/** In the order in which they run: what makes or removes records comes after what reads, so that all read equally many. */
export const workloads = [
  'get',
  'list',
  'filter',
  'filter-free',
  'download',
  'sign-in',
  'update',
  'create',
  'delete',
  'upload',
  'sightings-1',
  'sightings-100',
  'push',
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
  create: 'create a record',
  delete: 'delete a record',
  upload: 'upload 64 kB',
  'sightings-1': 'sightings, one a batch',
  'sightings-100': 'sightings, 100 a batch',
  push: 'accept a push',
};

/** Requests that are sent over and over, in this order. */
export interface Load {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly paths: readonly string[];
  /** As long as `paths`, or as many as are needed with one path. Single lines of text. */
  readonly bodies?: readonly string[];
  /** Each request can be sent only once; the load ends with the last. */
  readonly once?: true;
}

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
  stop(): Promise<void>;
}
