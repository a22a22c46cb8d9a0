import { store, stored } from './storage.ts';

/**
 * What somebody has typed into a form and not saved, kept on this device: one draft per form and person. Forms with
 * passwords or keys have none.
 */
export interface Draft {
  /** What was typed, and what the form had begun with; only members that differ. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly base: Readonly<Record<string, unknown>>;
  /** Bodies that were sent without a known result. They are sent again with the same key, so that they take effect once. */
  readonly sent?: readonly SentBody[];
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A body that was sent to create something, and the `Idempotency-Key` it had. */
export interface SentBody {
  /** A fingerprint of the body. */
  readonly print: string;
  readonly key: string;
}

const prefix = 'pharos draft ';
const maxDrafts = 40;
/** Characters; one that is longer is not kept, since the browser allows a few megabytes for everything. */
const maxDraft = 200_000;
const keptMs = 30 * 86_400_000;

/** Undefined when there is none, or none that this version can read. */
export function readDraft(name: string): Draft | undefined {
  return parsed(stored(prefix + name));
}

/** False if the draft is too long or the storage is full or switched off; an earlier draft is removed then. */
export function writeDraft(name: string, draft: Omit<Draft, 'at'>, now = Date.now()): boolean {
  const text = JSON.stringify({ ...draft, at: now });
  if (text.length <= maxDraft && store(prefix + name, text)) {
    dropOld(now);
    return true;
  }
  removeDraft(name);
  return false;
}

export const removeDraft = (name: string) => store(prefix + name, null);

function dropOld(now: number): void {
  const drafts = Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix))
    .map((key) => ({ key, at: parsed(stored(key))?.at ?? 0 }))
    .sort((a, b) => b.at - a.at);
  for (const [place, { key, at }] of drafts.entries())
    if (place >= maxDrafts || now - at > keptMs) localStorage.removeItem(key);
}

function parsed(text: string | null): Draft | undefined {
  try {
    const draft = JSON.parse(text ?? 'null') as Partial<Draft> | null;
    const isSent = Array.isArray(draft?.sent ?? []);
    const isDraft = draft && isMap(draft.values) && isMap(draft.base) && typeof draft.at === 'number' && isSent;
    return isDraft ? (draft as Draft) : undefined;
  } catch {
    return undefined;
  }
}

const isMap = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A fingerprint of a body, in letters and digits. Not for secrets. */
export function printOf(body: object): string {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (const unit of JSON.stringify(body)) {
    const code = unit.codePointAt(0) ?? 0;
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  return `${(high >>> 0).toString(36)}-${(low >>> 0).toString(36)}`;
}

/** A browser has no `crypto.randomUUID` where the console is opened without TLS. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');
