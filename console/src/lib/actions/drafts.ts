/**
 * What somebody has typed into a form and not saved, kept on this device: one draft per form and person. Forms with
 * passwords or keys have none.
 */
export interface Draft {
  /** What was typed, and what the form had begun with; only members that differ. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly base: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds. */
  readonly at: number;
}

const prefix = 'pharos draft ';
const mostDrafts = 40;
/** Characters; one that is longer is not kept, since the browser allows a few megabytes for everything. */
const longestDraft = 200_000;
const keptMs = 30 * 86_400_000;

/** Undefined when there is none, or none that this version can read. */
export function readDraft(name: string): Draft | undefined {
  return parsed(read(prefix + name));
}

export function writeDraft(name: string, draft: Omit<Draft, 'at'>, now = Date.now()): void {
  const text = JSON.stringify({ ...draft, at: now });
  try {
    if (text.length > longestDraft) localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, text);
    dropOld(now);
  } catch {
    // The storage is full or switched off; the browser still asks before the page is left.
  }
}

export function removeDraft(name: string): void {
  try {
    localStorage.removeItem(prefix + name);
  } catch {
    // As above.
  }
}

function dropOld(now: number): void {
  const drafts = Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix))
    .map((key) => ({ key, at: parsed(read(key))?.at ?? 0 }))
    .sort((a, b) => b.at - a.at);
  for (const [place, { key, at }] of drafts.entries())
    if (place >= mostDrafts || now - at > keptMs) localStorage.removeItem(key);
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function parsed(text: string | null): Draft | undefined {
  try {
    const draft = JSON.parse(text ?? 'null') as Partial<Draft> | null;
    const isDraft = draft && isMap(draft.values) && isMap(draft.base) && typeof draft.at === 'number';
    return isDraft ? (draft as Draft) : undefined;
  } catch {
    return undefined;
  }
}

const isMap = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
