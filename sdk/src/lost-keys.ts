import type { Operation } from './call.ts';

/** What tells two calls of an operation apart. */
interface Input {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly contentType?: string;
}

/**
 * The keys of calls whose answers were lost. Whoever presses a button again makes the same call, and the service does
 * what it asks for once. Two lost calls with the same input have a key each, since both were wanted.
 */
export class LostKeys {
  readonly #keys = new Map<string, string[]>();
  readonly #bodies = new WeakMap<object, number>();
  #count = 0;

  take(operation: Operation, input: Input): string | undefined {
    const name = this.#nameOf(operation, input);
    const keys = this.#keys.get(name) ?? [];
    const key = keys.shift();
    if (keys.length === 0) this.#keys.delete(name);
    return key;
  }

  keep(operation: Operation, input: Input, key: string): void {
    const name = this.#nameOf(operation, input);
    this.#keys.set(name, [...(this.#keys.get(name) ?? []), key]);
  }

  #nameOf({ method, path }: Operation, { params, query, body, contentType }: Input): string {
    return JSON.stringify([method, path, params, query, contentType === undefined ? body : this.#nameOfBytes(body)]);
  }

  /** A file that is chosen again is another object; other bytes are the same only as the same object. */
  #nameOfBytes(body: unknown): unknown {
    if (typeof body !== 'object' || body === null) return body;
    const { name, size, lastModified } = body as { name?: unknown; size?: unknown; lastModified?: unknown };
    if (lastModified !== undefined) return [name, size, lastModified];
    const known = this.#bodies.get(body) ?? ++this.#count;
    this.#bodies.set(body, known);
    return known;
  }
}
