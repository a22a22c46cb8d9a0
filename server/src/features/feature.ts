import type { FastifyInstance } from 'fastify';
import type { ConsoleEndpoint } from '../http/console/console-endpoint.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { JobHandlers } from '../jobs/job.ts';

/**
 * What a feature hands over to the service. All of it is optional; `app/app.ts` puts the parts of all features together
 * and knows nothing else of them.
 *
 * A process makes every feature once, before it listens. A feature never imports another one: what it needs of it, it
 * gets as a function from `app/features.ts`.
 */
export interface Feature {
  /** Below `/api/v2`, for apps; the console reaches the same endpoints through its own address. */
  readonly endpoints?: readonly Endpoint[];
  /** Below `/console/api`, for administrators. */
  readonly consoleEndpoints?: readonly ConsoleEndpoint[];
  /** Addresses that are neither, such as pages and the bytes of files. */
  readonly register?: (server: FastifyInstance) => void | Promise<void>;
  /** What the worker does for it, by the kind of job. Kinds are unique over all features. */
  readonly jobs?: JobHandlers;
  /** What is done every hour, by a name for the log. */
  readonly sweeps?: Readonly<Record<string, () => Promise<unknown>>>;
  /** Begins what runs by itself. Called once, when everything stands. */
  readonly start?: () => void;
  /** The service stops: begin nothing new. Requests under way are still answered. */
  readonly stop?: () => void;
  /** The last request was answered and the worker has stopped: let go of what is held. */
  readonly close?: () => void | Promise<void>;
}

/** Runs work that nobody waits for; what goes wrong is logged under the name `what`. A stop waits for it. */
export type InBackground = (what: string, work: () => Promise<unknown>) => void;

/** @throws Failure ObjectNotFound when there is no such app */
export type AssertApp = (appId: string) => Promise<unknown>;
