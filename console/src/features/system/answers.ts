import type { Operations } from '../../lib/wire.ts';

/** What an operation of the management interface answers. */
export type ConsoleAnswer<Id extends keyof Operations> = Operations[Id]['answer'];
