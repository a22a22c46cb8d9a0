const space = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings
const string = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[^"\\\u0000-\u001f]*)*"/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** What may come next: a value, the first one of an array, a name, the first one of an object, or what follows a value. */
type Next = 'value' | 'firstValue' | 'name' | 'firstName' | 'after';

/**
 * Where a text stops being JSON (RFC 8259), from 0: the first character that cannot stand there, or the length of a text that ends too
 * soon or is JSON. Browsers say it for some mistakes only.
 */
export function jsonFault(text: string): number {
  const closers: string[] = [];
  let at = 0;
  let next: Next = 'value';
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return false;
    at = pattern.lastIndex;
    return true;
  };
  for (;;) {
    take(space);
    const found = text[at];
    const closer = closers.at(-1);
    if (next !== 'value' && next !== 'name' && closer !== undefined && found === closer) {
      closers.pop();
      at++;
      next = 'after';
    } else if (next === 'after') {
      if (closer === undefined || found !== ',') return at;
      at++;
      next = closer === '}' ? 'name' : 'value';
    } else if (next === 'name' || next === 'firstName') {
      if (!take(string)) return at;
      take(space);
      if (text[at] !== ':') return at;
      at++;
      next = 'value';
    } else if (found === '{' || found === '[') {
      closers.push(found === '{' ? '}' : ']');
      at++;
      next = found === '{' ? 'firstName' : 'firstValue';
    } else if (take(string) || take(scalar)) next = 'after';
    else return at;
  }
}
