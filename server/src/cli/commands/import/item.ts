/** What another system has, one at a time, in the words of this one. References still have the other system's ids. */

interface Found {
  /** Where it stands, for people: `_User.json:12`. */
  readonly at: string;
  /** The class or collection there, and its id in that. */
  readonly of: string;
  readonly id: string;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** `createdAt` says nothing of it, so its objectId does not begin with that. */
  readonly isUndated?: true;
}

export interface UserItem extends Found {
  readonly kind: 'user';
  readonly email: string;
  readonly isVerified: boolean;
  readonly isDisabled: boolean;
  readonly firstname: string;
  readonly lastname: string;
  /** As `foreign-passwords.ts` reads it; without one the user asks for a new password by mail. */
  readonly passwordHash: string | undefined;
  readonly metadata: Document;
}

export interface RecordItem extends Found {
  readonly kind: 'record';
  readonly bucket: string;
  readonly document: Document;
}

export interface BeaconItem extends Found {
  readonly kind: 'beacon';
  /** A body as the interface takes it. */
  readonly body: Document;
}

/** Something that cannot be taken over, and why. */
interface Refused {
  readonly kind: 'refused';
  readonly at: string;
  readonly problem: string;
}

export type Document = Readonly<Record<string, unknown>>;
export type Item = UserItem | RecordItem | BeaconItem | Refused;

/** Reads the same items each time. */
export type Source = () => AsyncIterable<Item>;

/** A reference to a user or record of the other system. */
export const pointerTo = (className: string, objectId: string): Document => ({
  __type: 'Pointer',
  className,
  objectId,
});

/** The time in a text or number; `fallback` where there is none. */
export function timeOf(value: unknown, fallback: number): number {
  const text = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  const time = typeof text === 'number' ? Math.floor(text) : Date.parse(String(text ?? ''));
  return time >= 0 && time <= lastTime ? time : fallback;
}
/** Of a Date (ECMA-262, "Time Values and Time Range"). */
const lastTime = 8.64e15;

/** What is there, or that it has another form than `read` takes. */
export function readItem(at: string, read: () => Item): Item {
  try {
    return read();
  } catch {
    return { kind: 'refused', at, problem: 'does not have the form that is read here' };
  }
}

/** `Ada Maria Lovelace` → first name, and the rest. */
export function namesIn(name: unknown): { readonly firstname: string; readonly lastname: string } {
  const [firstname = '', ...rest] = String(name ?? '')
    .trim()
    .split(/\s+/);
  return { firstname: firstname.slice(0, 64), lastname: rest.join(' ').slice(0, 64) };
}

/** The members that have a value and are not named. */
export function withoutMembers(document: Document, left: ReadonlySet<string>): Document {
  return Object.fromEntries(
    Object.entries(document).filter(([name, value]) => !left.has(name) && value !== null && value !== undefined),
  );
}
