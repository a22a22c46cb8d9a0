import { createReadStream } from 'node:fs';
import { isObject } from '@pharos/query';
import type { Document } from './item.ts';

/** One object of a file, with the line on which it begins; or what is wrong there. */
export interface JsonItem {
  readonly line: number;
  readonly value?: Document;
  readonly problem?: string;
}

/** An object that contains the list, as lists of interfaces do; looked for in the first few characters. */
const wrapped = /^\s*\{\s*"(results|users|documents|items)"\s*:\s*\[/;
const headCharacters = 100;
/** How JSON that has objects begins. */
const begins = /^\s*(?:[{[]|$)/;
const beginsList = /^\s*\[/;
/** A single object must not fill the memory. */
const maxCharacters = 4 * 1024 * 1024;

/**
 * The objects of a file: one after the other (JSON lines, mongoexport), in an array, or in an array within an object, such as
 * `{"results": […]}`. Only one is held at a time. Libraries that read JSON from streams do not tell the line.
 *
 * @throws Error for a file that is no JSON, and for an object that has no end
 */
export async function* jsonItems(path: string): AsyncGenerator<JsonItem> {
  const source = createReadStream(path, { encoding: 'utf8' });
  const scan = new Scan();
  let head = '';
  let isBehindHead = false;
  for await (const chunk of source as AsyncIterable<string>) {
    if (isBehindHead) {
      yield* scan.take(chunk);
      continue;
    }
    head += chunk;
    if (head.length < headCharacters) continue;
    isBehindHead = true;
    yield* scan.begin(head, path);
  }
  if (!isBehindHead) yield* scan.begin(head, path);
  yield* scan.end();
}

class Scan {
  #line = 1;
  #begun = 1;
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #isFirst = false;
  /** An object before had no end: from here on one that begins a line is not within another. */
  #isStrict = false;
  /** In a list whose `]` has not come. */
  #isListed = false;
  #object = '';

  begin(head: string, path: string): Generator<JsonItem> {
    if (!begins.test(head)) throw new Error(`${path} is no JSON.`);
    const wrapper = wrapped.exec(head)?.[0] ?? '';
    this.#line += wrapper.split('\n').length - 1;
    this.#isListed = wrapper !== '' || beginsList.test(head);
    return this.take(head.slice(wrapper.length));
  }

  *take(chunk: string): Generator<JsonItem> {
    let from = this.#depth > 0 ? 0 : -1;
    for (let at = 0; at < chunk.length; at++) {
      const character = chunk[at];
      const isFirst = this.#isFirst;
      this.#isFirst = character === '\n';
      if (this.#isFirst) this.#line++;
      if (character === '{' && isFirst && this.#isStrict && this.#depth > 0) {
        yield { line: this.#begun, problem: 'has no end' };
        this.#forget();
      }
      if (this.#isText) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (character === '\\') this.#isEscaped = true;
        else if (character === '"') this.#isText = false;
      } else if (character === '"') this.#isText = this.#depth > 0;
      else if (character === '{' && this.#depth++ === 0) {
        from = at;
        this.#begun = this.#line;
      } else if (character === '}' && this.#depth > 0 && --this.#depth === 0) {
        yield this.#read(this.#object + chunk.slice(from, at + 1));
        this.#object = '';
        from = -1;
      } else if (character === ']' && this.#depth === 0) this.#isListed = false;
    }
    if (from < 0) return;
    this.#object += chunk.slice(from);
    if (this.#object.length <= maxCharacters || (yield* this.#behind())) return;
    throw new Error(`The object on line ${this.#begun} has more than ${maxCharacters >> 20} MiB, or no end.`);
  }

  *end(): Generator<JsonItem> {
    if (this.#depth > 0) yield* this.#behind();
    if (this.#depth > 0) yield { line: this.#begun, problem: 'the file ends within this object' };
    else if (this.#isListed) yield { line: this.#line, problem: 'the file ends within the list' };
  }

  /** Reads on after an object that never ends, from the next line that begins one. Returns whether there was any. */
  *#behind(): Generator<JsonItem, boolean> {
    const next = this.#object.indexOf('\n{') + 1;
    if (next === 0 || this.#isStrict) return false;
    yield { line: this.#begun, problem: 'has no end' };
    const rest = this.#object.slice(next);
    this.#line = this.#begun + this.#object.slice(0, next).split('\n').length - 1;
    this.#isStrict = true;
    this.#forget();
    yield* this.take(rest);
    return true;
  }

  #forget(): void {
    this.#depth = 0;
    this.#isText = this.#isEscaped = false;
    this.#object = '';
  }

  #read(text: string): JsonItem {
    const line = this.#begun;
    try {
      const value: unknown = JSON.parse(text);
      return isObject(value) ? { line, value } : { line, problem: 'is not an object' };
    } catch {
      return { line, problem: 'is not JSON' };
    }
  }
}
