export {
  type Answer,
  addressOf,
  type Body,
  type Call,
  type Caller,
  type CallOptions,
  type Connection,
  createCaller,
  type Input,
  type Operation,
  type OperationId,
  type OperationTable,
  type Query,
} from './call.ts';
export {
  type AppOptions,
  PharosClient,
  type PharosOptions,
  type ServerOptions,
  type SessionOptions,
} from './client.ts';
export { entityTag, wasRepeated } from './entity-tag.ts';
export { errorOfAnswer, PharosError, type PharosErrorOptions, type PharosProblem } from './error.ts';
export { inLanguage, languageOf, type Worded } from './language.ts';
export { type Followed, type FollowedQuery, type ListHandlers, type RecordIn, subscribe } from './list-stream.ts';
export {
  type LiveEvent,
  type LiveOptions,
  type LiveStream,
  openLiveStream,
  type StreamOptions,
} from './live-stream.ts';
export * as operations from './operations.ts';
export type { RetryOptions } from './retry.ts';
export type { Border, Hearing, Permission, PlannedRegion, SensingAdapter } from './sensing/adapter.ts';
export { type PlatformEntries, type PlatformEntryOptions, platformEntries } from './sensing/entries.ts';
export { type SensingCause, type SensingFinding, type SensingHealth, sensingFindings } from './sensing/findings.ts';
export { type ReactNativeOptions, reactNativeAdapter } from './sensing/react-native.ts';
export { Sensing, type SensingOptions, type WakeReason } from './sensing/sensing.ts';
export { webAdapter } from './sensing/web.ts';
export type { AnyBuckets, RecordOf } from './services/buckets.ts';
export type { Tokens } from './session.ts';
export {
  type QueueStorage,
  type Sighting,
  SightingQueue,
  type SightingQueueOptions,
  type SightingSender,
} from './sighting-queue.ts';
export type { TextStorage } from './storage-lock.ts';
export { type FieldOf, type Instant, literalPattern, type ValueOf, Where, where } from './where.ts';
export type * from './wire.ts';
