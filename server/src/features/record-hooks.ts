import type { MaybePromise } from '../base/maybe-promise.ts';

/** What a webhook is asked before it is done with a record of a bucket. */
export const recordEventTypes = ['record.creating', 'record.updating', 'record.deleting'] as const;
export type RecordEventType = (typeof recordEventTypes)[number];
export const isRecordEvent = (type: string): boolean => (recordEventTypes as readonly string[]).includes(type);

type Document = Readonly<Record<string, unknown>>;

/** A record as rules and webhooks see it. */
export interface HookRecord {
  readonly objectId: string;
  /** Parsed only if somebody looks into it. */
  readonly document: () => Document;
  readonly createdBy: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Proposal {
  /** As it is; undefined where it is made. */
  readonly before?: HookRecord;
  /** As it would be; undefined where it is deleted. */
  readonly after?: HookRecord;
  readonly by: Asker;
}

/** Who makes the change. */
export type Asker =
  | { readonly kind: 'user'; readonly objectId: string }
  | { readonly kind: 'secretKey'; readonly objectId: string; readonly name: string }
  | { readonly kind: 'administrator' | 'app' };

/** The webhooks that one request has to ask. They share a time limit, however often it asks. */
export interface RecordHook {
  /**
   * The document to store. `accept` throws if a document that an answer has amended cannot be stored.
   *
   * @throws Failure ValidationError if a webhook refuses; Timeout without an answer, if that is to count as a refusal
   */
  ask(proposal: Proposal, accept: (document: Document) => void): Promise<Document>;
}

/** Undefined where nobody has to be asked. For an app without webhooks this costs one map look-up. */
export type FindRecordHook = (
  appId: string,
  bucketName: string,
  event: RecordEventType,
) => MaybePromise<RecordHook | undefined>;
