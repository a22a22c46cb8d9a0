import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

/** Reads the console's source: which texts are looked up in the catalogues, and which words stand outside of them. */

const root = fileURLToPath(new URL('../../src/', import.meta.url));

export interface Found {
  /** Below `console/src`, with the line. */
  readonly place: string;
  readonly text: string;
}

export interface Message extends Found {
  readonly isRich: boolean;
  /** Names of the values that the call gives; undefined without any. */
  readonly values: readonly string[] | undefined;
}

export interface Texts {
  /** First arguments of `t`, `rich` and `textParts`. */
  readonly messages: readonly Message[];
  /** Words that are shown as they stand. */
  readonly strays: readonly Found[];
  /** Calls whose text is not written out, so that no catalogue can hold it. */
  readonly computed: readonly Found[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [member: string]: unknown;
}

/** Whether a literal is shown, may be, or is meant for the machine. */
type Place = 'shown' | 'maybe' | 'machine';

/** JSX attributes and members of objects whose text people read. */
const shown = new Set(
  [
    'about action alt aria-label confirm description done empty error explanation heading help hint label many message',
    'nothingFoundMessage one placeholder problem question reason removeLabel closeButtonLabel says searchHint sentence',
    'submit summary text thumbLabel title warning what words',
  ]
    .join(' ')
    .split(' '),
);

/** Those that only the machine reads, although their values may look like words. */
const forMachine = new Set(
  [
    'aria-current className d handbook path points stroke style to transform viewBox fontFamily headers queryKey formatter __type',
  ]
    .join(' ')
    .split(' '),
);

/** Functions whose texts are names, addresses and patterns. */
const machineCalls = new Set(
  [
    'addEventListener querySelector querySelectorAll closest matches matchMedia includes startsWith endsWith split replace',
    'replaceAll getRouteApi call dataKey RegExp DateTimeFormat NumberFormat pointer belongs test lazyPage',
  ]
    .join(' ')
    .split(' '),
);

const lookUps = new Set(['t', 'rich', 'textParts']);

/** `Save`, `Two words`, `in lower case`; not `camelCase`, `a-b`, `/path`. */
const looksLikeWords = (text: string) =>
  (/^\p{Lu}[\p{Ll}’']+$/u.test(text) || /\p{L}{2}[,;:.?!…]? ["“(]?\p{L}|^\p{Lu}\p{Ll}+[.?!…]$/u.test(text)) &&
  !/^(https?|data|image|application):?\//.test(text);

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

const nameOf = (node: unknown): string | undefined => {
  if (!isNode(node)) return undefined;
  if (node.type === 'MemberExpression') return nameOf(node['property']);
  if (node.type === 'JSXNamespacedName') return undefined;
  const name = node['name'] ?? node['value'];
  return typeof name === 'string' ? name : undefined;
};

export function readTexts(): Texts {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    // The types of the interface are generated.
    .filter((path) => /\.tsx?$/.test(path) && path !== 'lib/wire.ts')
    .toSorted();
  const all = files.map((path) => textsOf(path, readFileSync(`${root}${path}`, 'utf8')));
  return {
    messages: all.flatMap(({ messages }) => messages),
    strays: all.flatMap(({ strays }) => strays),
    computed: all.flatMap(({ computed }) => computed),
  };
}

export function textsOf(path: string, code: string): Texts {
  const reader = new Reader(path, code);
  reader.visit(parseAst(code, { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node, 'maybe');
  return reader;
}

class Reader {
  readonly messages: Message[] = [];
  readonly strays: Found[] = [];
  readonly computed: Found[] = [];
  readonly #path: string;
  readonly #code: string;

  constructor(path: string, code: string) {
    this.#path = path;
    this.#code = code;
  }

  visit(node: unknown, place: Place): void {
    if (Array.isArray(node)) for (const one of node) this.visit(one, place);
    if (!isNode(node)) return;
    const { type } = node;
    if (type === 'Literal' || type === 'TemplateElement' || type === 'JSXText') {
      this.#literal(node, place);
      return;
    }
    if (type.startsWith('TS') && !/^TS(As|Satisfies|NonNull)/.test(type)) return;
    if (/^(Import|ExportAll)/.test(type)) return;
    const own = this.#special[type];
    if (own) {
      own(node, place);
      return;
    }
    // What a function, a statement or an unknown expression holds need not be shown where the whole is.
    const inner = passing.has(type) ? place : 'maybe';
    for (const [name, part] of Object.entries(node)) if (name !== 'type') this.visit(part, inner);
  }

  readonly #special: Readonly<Record<string, (node: Node, place: Place) => void>> = {
    JSXElement: (node) => {
      this.visit((node['openingElement'] as Node)['attributes'], 'maybe');
      this.visit(node['children'], 'shown');
    },
    JSXFragment: (node) => this.visit(node['children'], 'shown'),
    JSXAttribute: (node) => this.visit(node['value'], placeOf(nameOf(node['name']))),
    Property: (node, place) => {
      if (node['computed']) this.visit(node['key'], 'maybe');
      const own = placeOf(nameOf(node['key']));
      this.visit(node['value'], place === 'machine' ? place : own);
    },
    BinaryExpression: (node, place) => {
      const isComparison = /^([!=]==?|in|instanceof|<|>)/.test(String(node['operator']));
      for (const side of [node['left'], node['right']]) this.visit(side, isComparison ? 'machine' : place);
    },
    SwitchCase: (node) => this.visit(node['consequent'], 'maybe'),
    MemberExpression: (node) => this.visit(node['object'], 'maybe'),
    ConditionalExpression: (node, place) => {
      this.visit(node['test'], 'maybe');
      for (const branch of [node['consequent'], node['alternate']]) this.visit(branch, place);
    },
    LogicalExpression: (node, place) => {
      this.visit(node['left'], node['operator'] === '&&' ? 'maybe' : place);
      this.visit(node['right'], place);
    },
    CallExpression: (node) => this.#call(node),
    NewExpression: (node) => this.#call(node),
  };

  #call(node: Node): void {
    const name = nameOf(node['callee']) ?? '';
    const parts = node['arguments'] as readonly Node[];
    if (lookUps.has(name) && (node['callee'] as Node).type === 'Identifier') {
      const [first, second] = parts;
      const text = first?.type === 'Literal' ? first['value'] : undefined;
      if (typeof text !== 'string') this.computed.push(this.#found(node, name));
      else {
        const members = second?.['properties'] as readonly Node[] | undefined;
        const values = members?.map(({ key }) => nameOf(key) ?? '');
        this.messages.push({ ...this.#found(node, text), isRich: name !== 't', values });
      }
      this.visit(parts.slice(1), 'maybe');
      return;
    }
    this.visit(node['callee'], 'maybe');
    // Functions among the arguments are ordinary code.
    for (const part of parts) this.visit(part, machineCalls.has(name) && isPlain(part) ? 'machine' : 'maybe');
  }

  #literal(node: Node, place: Place): void {
    const value = node.type === 'TemplateElement' ? (node['value'] as { cooked: string }).cooked : node['value'];
    if (place === 'machine' || typeof value !== 'string' || !/\p{L}{2}/u.test(value)) return;
    if (place === 'shown' || looksLikeWords(value.trim())) this.strays.push(this.#found(node, value.trim()));
  }

  #found(node: Node, text: string): Found {
    return { place: `${this.#path}:${this.#code.slice(0, node.start).split('\n').length}`, text };
  }
}

/** Expressions that are shown where the expression around them is. */
const passing = new Set([
  'TemplateLiteral',
  'JSXExpressionContainer',
  'ParenthesizedExpression',
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'ArrayExpression',
]);

const isPlain = ({ type }: Node) => type === 'Literal' || type === 'TemplateLiteral' || type === 'ArrayExpression';

function placeOf(name: string | undefined): Place {
  if (name === undefined) return 'maybe';
  return shown.has(name) ? 'shown' : forMachine.has(name) ? 'machine' : 'maybe';
}
