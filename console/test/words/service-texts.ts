import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

/**
 * Reads the sentences that the service makes out of its source. What is put into a sentence is a hole, `{0}`, `{1}`, in the
 * order of the text: `There is no beacon {0}.` A choice between written texts gives one sentence for each.
 */

const repository = fileURLToPath(new URL('../../../', import.meta.url));

export interface Said {
  /** Below the repository, with the line. */
  readonly place: string;
  readonly file: string;
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [member: string]: unknown;
}

/** A text in parts; undefined is a hole. */
type Parts = readonly (string | undefined)[];

/** Members and variables whose texts are the interface's document, or are examples in it. */
const documents = /^(description|summary|examples?|title_|prose)$|[eE]xample/;
/** Functions that write into logs, name work in the background, or take patterns, names of headers and examples of bodies. */
const forMachine =
  /^(log|logger|console|background|process)\b|\.(debug|info|warn|error|every|split|includes|startsWith|endsWith|body|header|setHeader|has|get|append|createHash|test)$|^(sql|raw|Type\.\w+|inBackground|assert\w*|String\.raw|RegExp|Set|Map)$/;
const maxChoices = 24;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

export function readServiceTexts(): readonly Said[] {
  const files = ['server/src', 'packages', 'sdk/src'].flatMap((folder) =>
    readdirSync(`${repository}${folder}`, { recursive: true, encoding: 'utf8' })
      .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
      .filter((path) => /(?<!\.test)\.ts$/.test(path) && !/^packages\/\w+\/test\//.test(path)),
  );
  const sources = files.toSorted().map((file) => ({ file, code: readFileSync(`${repository}${file}`, 'utf8') }));
  const describing = new Set(sources.flatMap(({ code }) => describingFunctions(code)));
  return sources.flatMap(({ file, code }) => serviceTextsOf(file, code, describing));
}

/** Functions of a file that take a description for the interface's document. */
const describingFunctions = (code: string): string[] =>
  [...code.matchAll(/(?:const|function) (\w+)(?: = |<.*>|)\((?:[^)]*\b)?(?:description|about)\b/g)].map(
    ([, name = '']) => name,
  );

export function serviceTextsOf(
  file: string,
  code: string,
  describing: ReadonlySet<string> = new Set(),
): readonly Said[] {
  const reader = new Reader(file, code, describing);
  reader.visit(parseAst(code, { lang: 'ts' }) as unknown as Node);
  return reader.found();
}

class Reader {
  readonly #file: string;
  readonly #code: string;
  readonly #describing: ReadonlySet<string>;
  readonly #found: { readonly node: Node; readonly texts: readonly string[] }[] = [];
  /** What constants were set to that are known here. */
  #constants = new Map<string, Node>();
  /** Texts that are read where they are used. */
  readonly #used = new Set<Node>();
  /** Constants that are also used outside of other texts. */
  readonly #alone = new Set<Node | undefined>();

  constructor(file: string, code: string, describing: ReadonlySet<string>) {
    this.#file = file;
    this.#code = code;
    this.#describing = describing;
  }

  found(): readonly Said[] {
    return this.#found
      .filter(({ node }) => !this.#used.has(node) || this.#alone.has(node))
      .flatMap(({ node, texts }) => {
        const place = `${this.#file}:${this.#code.slice(0, node.start).split('\n').length}`;
        return texts.map((text) => ({ place, file: this.#file, text }));
      });
  }

  visit(node: unknown): void {
    if (Array.isArray(node)) for (const one of node) this.visit(one);
    if (!isNode(node) || this.#isForMachine(node)) return;
    if (Array.isArray(node['params'])) this.#visitFunction(node);
    else this.#visitNode(node);
  }

  /** What a function declares is not known outside, and its parameters hide what was. */
  #visitFunction(node: Node): void {
    const outside = this.#constants;
    this.#constants = new Map(outside);
    for (const param of node['params'] as readonly Node[])
      for (const [name] of this.#textOf(param).matchAll(/\w+/g)) this.#constants.delete(name);
    this.#visitNode(node);
    this.#constants = outside;
  }

  #visitNode(node: Node): void {
    if (node.type === 'VariableDeclarator' && isNode(node['init']))
      this.#constants.set(this.#nameOf(node['id']), node['init']);
    if (isText(node)) {
      this.#keep(node);
      for (const hole of holesOf(node)) if (!isNode(hole) || hole.type !== 'Identifier') this.visit(hole);
      return;
    }
    if (node.type === 'Identifier') this.#alone.add(this.#constants.get(this.#nameOf(node)));
    for (const [name, part] of Object.entries(node)) if (name !== 'type' && !isName(node, name)) this.visit(part);
  }

  #isForMachine(node: Node): boolean {
    const { type } = node;
    if (type === 'TaggedTemplateExpression' || /^(Import|ExportAll)/.test(type)) return true;
    if (type.startsWith('TS') && !/^TS(As|Satisfies|NonNull)/.test(type)) return true;
    if (type === 'Property' || type === 'PropertyDefinition') return documents.test(this.#nameOf(node['key']));
    if (type === 'VariableDeclarator') return documents.test(this.#nameOf(node['id']));
    if (type !== 'CallExpression' && type !== 'NewExpression') return false;
    const callee = this.#textOf(node['callee']);
    return forMachine.test(callee) || this.#describing.has(callee);
  }

  #keep(node: Node): void {
    const texts = this.#choices(node).map(keyOf).filter(looksSaid);
    if (texts.length > 0) this.#found.push({ node, texts: [...new Set(texts)] });
  }

  /** All texts that an expression can be, as far as they are written out. */
  #choices(node: unknown, depth = 0): readonly Parts[] {
    if (!isNode(node)) return [[undefined]];
    const again = (part: unknown) => this.#choices(part, depth + 1);
    switch (node.type) {
      case 'Literal':
        return [[typeof node['value'] === 'string' ? node['value'] : undefined]];
      case 'TemplateLiteral':
        return this.#ofTemplate(node, again);
      case 'BinaryExpression':
        return node['operator'] === '+' ? joined([again(node['left']), again(node['right'])]) : [[undefined]];
      case 'ConditionalExpression':
        return [...again(node['consequent']), ...again(node['alternate'])];
      case 'LogicalExpression':
        return [...(node['operator'] === '&&' ? [['']] : again(node['left'])), ...again(node['right'])];
      case 'Identifier':
        return this.#ofConstant(node, depth);
      case 'CallExpression':
        return this.#ofCount(node);
      default:
        return [[undefined]];
    }
  }

  #ofTemplate(node: Node, again: (part: unknown) => readonly Parts[]): readonly Parts[] {
    const quasis = (node['quasis'] as readonly { readonly value: { readonly cooked: string } }[]).map(
      ({ value }) => [[value.cooked]] as const,
    );
    const holes = node['expressions'] as readonly Node[];
    const all = joined(quasis.flatMap((quasi, index) => (holes[index] ? [quasi, again(holes[index])] : [quasi])));
    return all.length <= maxChoices
      ? all
      : joined(quasis.flatMap((quasi, index) => (holes[index] ? [quasi, [[undefined]]] : [quasi])));
  }

  /** `count(n, 'phone')` is `1 phone` or `2 phones`. */
  #ofCount(node: Node): readonly Parts[] {
    const [, noun] = node['arguments'] as readonly Node[];
    if (this.#nameOf(node['callee']) !== 'count' || typeof noun?.['value'] !== 'string') return [[undefined]];
    return [
      [undefined, ` ${noun['value']}`],
      [undefined, ` ${noun['value']}s`],
    ];
  }

  /** A constant that is a choice between written texts is read in place. */
  #ofConstant(node: Node, depth: number): readonly Parts[] {
    const init = this.#constants.get(this.#nameOf(node));
    if (!init || depth > 3 || !isText(init)) return [[undefined]];
    const choices = this.#choices(init, depth + 1);
    if (choices.some((parts) => parts.every((part) => part === undefined))) return [[undefined]];
    this.#used.add(init);
    return choices;
  }

  #nameOf(node: unknown): string {
    if (!isNode(node)) return '';
    return String(node['name'] ?? node['value'] ?? '');
  }

  #textOf(node: unknown): string {
    return isNode(node) ? this.#code.slice(node.start, node['end'] as number) : '';
  }
}

/** Every way to put one of each after the other. */
const joined = (parts: readonly (readonly Parts[])[]): readonly Parts[] =>
  parts.reduce<readonly Parts[]>(
    (before, choices) => before.flatMap((left) => choices.map((right) => [...left, ...right])),
    [[]],
  );

const isText = (node: Node): boolean =>
  (node.type === 'Literal' && typeof node['value'] === 'string') ||
  node.type === 'TemplateLiteral' ||
  (node.type === 'BinaryExpression' &&
    node['operator'] === '+' &&
    [node['left'], node['right']].some((side) => isNode(side) && isText(side))) ||
  (node.type === 'ConditionalExpression' &&
    [node['consequent'], node['alternate']].some((side) => isNode(side) && isText(side)));

/** Names of members and of what is declared, which are no use of a constant. */
const isName = (node: Node, part: string): boolean =>
  (part === 'property' && node.type === 'MemberExpression' && !node['computed']) ||
  (part === 'key' && !node['computed']) ||
  (part === 'id' && node.type === 'VariableDeclarator');

/** What is not text inside of a text. */
function holesOf(node: Node): readonly unknown[] {
  const inner = ['expressions', 'left', 'right', 'consequent', 'alternate', 'test'].flatMap((name) => node[name] ?? []);
  return inner.flatMap((part) => (isNode(part) && isText(part) ? holesOf(part) : [part]));
}

/** `There is no beacon {0}.` Holes side by side are one. */
function keyOf(parts: Parts): string {
  const merged: (string | undefined)[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (part === '') continue;
    if (merged.length === 0 || (last === undefined) !== (part === undefined)) merged.push(part);
    else if (last !== undefined && part !== undefined) merged[merged.length - 1] = last + part;
  }
  let hole = 0;
  const text = merged
    .map((part) => part ?? `{${hole++}}`)
    .join('')
    .trim();
  // What a provider said is put behind the colon by a function.
  return text.endsWith(':') ? `${text} {${hole}}` : text;
}

/** Words for people: not SQL, HTML, headers, names or paths. */
function looksSaid(text: string): boolean {
  const words = text.replaceAll(/\{\d+\}/g, '⟨⟩');
  if (
    /^(select|insert|update|delete|on conflict|union|where|create|alter|with|begin|and|or|set|pragma|from) .*[=(*]|^<|\bjson_|^[a-z_]+ (is not null|asc|desc)\b|^\(/s.test(
      words,
    )
  )
    return false;
  return /\p{L}{2}[,;:.?!…”)]* ["“(]?\p{L}|\p{L}{3} ["“(]?⟨⟩|⟨⟩[)”":,.%]* \p{L}{3}|^\p{Lu}\p{Ll}+\.$/u.test(words);
}
