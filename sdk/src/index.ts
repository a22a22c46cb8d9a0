export type { Answer, Body, Call, OperationId, Query } from './call.ts';
export { PharosClient, type PharosOptions } from './client.ts';
export { PharosError, type PharosErrorOptions, type PharosProblem } from './error.ts';
export type * from './wire.ts';
