import type { FastifyInstance } from 'fastify';
import type { DbTable } from '../db/table.ts';
import type { ConsoleEndpoint } from '../http/console/console-endpoint.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { JobHandlers } from '../jobs/job.ts';

/**
 * The parts that a feature contributes to the service. All are optional; `app/app.ts` combines the parts of all
 * features and knows nothing else about them.
 *
 * A process creates every feature once, before it listens. A feature never imports another one: what it needs of it, it
 * finds in its `Context`.
 */
export interface Feature {
  /** Below `/api/v2`, for apps; the console reaches the same endpoints through its own address. */
  readonly endpoints?: readonly Endpoint[];
  /** Below `/console/api`, for administrators. */
  readonly consoleEndpoints?: readonly ConsoleEndpoint[];
  /** Addresses that are neither, such as pages and the bytes of files. */
  readonly register?: (server: FastifyInstance) => void | Promise<void>;
  /** The job handlers that the worker runs for it, by the kind of job. Kinds are unique over all features. */
  readonly jobs?: JobHandlers;
  /** Hourly tasks, by a name for the log. */
  readonly sweeps?: Readonly<Record<string, () => Promise<unknown>>>;
  /** Hourly tasks that each process does for itself, because it holds something in memory; of the others, one node does each. */
  readonly ownSweeps?: Readonly<Record<string, () => Promise<unknown>>>;
  /** What is done again and again, by a name for the log. */
  readonly repeats?: Readonly<Record<string, { readonly everyMs: number; readonly work: () => Promise<unknown> }>>;
  /** Starts what runs by itself. Called once, when everything is ready. */
  readonly start?: () => void;
  /** The service stops: start nothing new. Requests in progress are still answered. */
  readonly stop?: () => void;
  /** The last request was answered and the worker has stopped: release all resources. */
  readonly close?: () => void | Promise<void>;
}

/** Runs work that nobody waits for; errors are logged under the name `what`. A stop waits for it. */
export type InBackground = (what: string, work: () => Promise<unknown>) => void;

/** The apps of which there is a row in a table; those that have none cost nothing. */
export type AppsWith = (table: DbTable) => Promise<readonly string[]>;
