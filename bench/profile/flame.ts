/** A flame graph as SVG: each box is a function, as wide as the time that it and what it called took. */
import type { CallFrame, CpuProfile } from './inspector.ts';

export interface Frame {
  readonly name: string;
  readonly kind: Kind;
  /** Microseconds in the function itself. */
  self: number;
  /** Including what it called. */
  total: number;
  readonly callees: Map<string, Frame>;
}

/** The origin of its code. */
export type Kind = 'pharos' | 'packages' | 'node' | 'native';

const colours: Readonly<Record<Kind, string>> = {
  pharos: '#f2a65a',
  packages: '#9ec5ab',
  node: '#8fb4d9',
  native: '#c9c4bb',
};

const width = 1200;
const rowHeight = 17;
/** Narrower boxes are left out because they are unreadable. */
const narrowest = 2;

function kindOf({ url, functionName }: CallFrame): Kind {
  if (url.startsWith('node:')) return 'node';
  if (url.includes('/node_modules/')) return 'packages';
  return url === '' || functionName.startsWith('(') ? 'native' : 'pharos';
}

function nameOf({ functionName, url }: CallFrame): string {
  const file = url
    .replace(/^.*\/node_modules\//, '')
    .replace(/^.*\/(server|sdk)\//, '$1/')
    .replace(/^file:\/\//, '');
  return `${functionName || '(anonymous)'}${file ? ` ${file}` : ''}`;
}

/** Merges the samples into one tree, without idle time. */
export function treeOf({ nodes, samples, timeDeltas }: CpuProfile): Frame {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const root: Frame = { name: 'all', kind: 'native', self: 0, total: 0, callees: new Map() };
  const paths = new Map<number, Frame[]>();
  const pathOf = (id: number): Frame[] => {
    const known = paths.get(id);
    if (known) return known;
    const node = byId.get(id);
    const parent = parents.get(id);
    if (!node || parent === undefined) return [root];
    const above = pathOf(parent);
    const frame = calleeOf(above.at(-1) ?? root, node.callFrame);
    const path = [...above, frame];
    paths.set(id, path);
    return path;
  };
  for (const [index, id] of samples.entries()) {
    if (byId.get(id)?.callFrame.functionName === '(idle)') continue;
    const micros = timeDeltas[index] ?? 0;
    const path = pathOf(id);
    for (const frame of path) frame.total += micros;
    const last = path.at(-1);
    if (last) last.self += micros;
  }
  return root;
}

function calleeOf(caller: Frame, callFrame: CallFrame): Frame {
  const name = nameOf(callFrame);
  const known = caller.callees.get(name);
  if (known) return known;
  const frame: Frame = { name, kind: kindOf(callFrame), self: 0, total: 0, callees: new Map() };
  caller.callees.set(name, frame);
  return frame;
}

/** The functions with the most time of their own: share of all, name. */
export function hottest(root: Frame, most: number): { readonly share: number; readonly name: string }[] {
  const selves = new Map<string, number>();
  const add = (frame: Frame) => {
    selves.set(frame.name, (selves.get(frame.name) ?? 0) + frame.self);
    for (const callee of frame.callees.values()) add(callee);
  };
  add(root);
  return [...selves]
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([name, self]) => ({ share: self / root.total, name }));
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

export function flameGraph(root: Frame, title: string): string {
  const boxes: string[] = [];
  let deepest = 0;
  const draw = (frame: Frame, x: number, depth: number) => {
    const wide = (frame.total / root.total) * width;
    if (wide < narrowest) return;
    deepest = Math.max(deepest, depth);
    boxes.push(box(frame, { x, depth, wide, share: frame.total / root.total }));
    let next = x;
    for (const callee of [...frame.callees.values()].sort((a, b) => (a.name < b.name ? -1 : 1))) {
      draw(callee, next, depth + 1);
      next += (callee.total / root.total) * width;
    }
  };
  draw(root, 0, 0);
  const height = (deepest + 1) * rowHeight + 46;
  const legend = Object.entries(colours)
    .map(
      ([kind, colour], n) =>
        `<rect x="${n * 110}" y="24" width="12" height="12" fill="${colour}"/><text x="${n * 110 + 16}" y="34">${kind}</text>`,
    )
    .join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="11" role="img">
<title>${escaped(title)}</title>
<rect width="${width}" height="${height}" fill="#fff"/><text x="0" y="14" font-size="14">${escaped(title)}</text>${legend}
<g transform="translate(0 46)">
${boxes.join('\n')}
</g>
</svg>
`;
}

interface Place {
  readonly x: number;
  readonly depth: number;
  readonly wide: number;
  readonly share: number;
}

function box({ name, kind }: Frame, { x, depth, wide, share }: Place): string {
  const [short = ''] = name.split(' ');
  const letters = Math.floor((wide - 6) / 6.2);
  const text = letters < 3 ? '' : short.length <= letters ? short : `${short.slice(0, letters - 1)}…`;
  const label = text ? `<text x="${(x + 3).toFixed(1)}" y="${depth * rowHeight + 12}">${escaped(text)}</text>` : '';
  return `<g><title>${escaped(name)}, ${(share * 100).toFixed(1)} %</title><rect x="${x.toFixed(1)}" y="${depth * rowHeight}" width="${Math.max(0.5, wide - 0.5).toFixed(1)}" height="${rowHeight - 1}" fill="${colours[kind]}"/>${label}</g>`;
}
