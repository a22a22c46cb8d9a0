import type { Operations } from '../../lib/wire.ts';

export type ConsoleAnswer<Id extends keyof Operations> = Operations[Id]['answer'];
