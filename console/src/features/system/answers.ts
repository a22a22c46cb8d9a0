import type { Operations } from '../../lib/wire.ts';

/** The answer of an operation of the management interface. */
export type ConsoleAnswer<Id extends keyof Operations> = Operations[Id]['answer'];
