import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../../../console/src', import.meta.url));

/** Addresses of the console that need no app, or nobody signed in. */
const ofService = ['/apps', '/administrators', '/administrators/single-sign-on', '/account', '/system', '/audit'];
const ofNobody = /^\/(setup|sign-in|forgotten|link|)$/;

/** The routes as the features declare them: `/beacons/$beaconId`, below an app or `/console`. */
function routes(): { readonly app: readonly string[]; readonly service: readonly string[] } {
  const app: string[] = ['/keys', '/policy', '/settings'];
  const service: string[] = [];
  for (const file of globSync('features/**/*routes.ts', { cwd: source }))
    for (const [, path = ''] of readFileSync(join(source, file), 'utf8').matchAll(
      /(?:^ {2,4}path: |\bappPage\(\s*)'(\/[^']*)'/gm,
    ))
      app.push(path);
  const router = readFileSync(join(source, 'app/router.tsx'), 'utf8');
  for (const [, path = ''] of router.matchAll(/^ +path: '(\/[^']*)'/gm))
    if (!ofNobody.test(path) && !app.includes(path) && !path.startsWith('/apps/')) service.push(path);
  return { app: [...new Set(app)], service: [...new Set([...service, ...ofService])] };
}

const escaped = (text: string) => text.replace(/[.*+?^{}()|[\]\\]/g, '\\$&');

/** Which pages there are, and one address of each: those without a record by themselves, the others by links to them. */
export class PageFinder {
  readonly #patterns: readonly { readonly pattern: string; readonly matches: RegExp }[];
  readonly #waiting: string[] = [];
  readonly #seen = new Map<string, string>();

  /** `below`: the address of the app. */
  constructor(below: string) {
    const { app, service } = routes();
    const all = [...app.map((path) => below + path), ...service.map((path) => `/console${path}`)];
    this.#patterns = all.map((pattern) => ({
      pattern,
      matches: new RegExp(`^${escaped(pattern).replace(/\$\w+/g, '(?!new$|import$)[^/]+')}$`),
    }));
    this.add(all.filter((pattern) => !pattern.includes('$')));
  }

  /** Of each page the first address that comes along. */
  add(addresses: readonly string[]): void {
    for (const address of addresses) {
      const found =
        this.#patterns.find(({ pattern }) => pattern === address) ??
        this.#patterns.find(({ matches }) => matches.test(address));
      if (!found || this.#seen.has(found.pattern)) continue;
      this.#seen.set(found.pattern, address);
      this.#waiting.push(address);
    }
  }

  /** The next address in which one of the words stands. */
  next(words: readonly string[]): string | undefined {
    for (;;) {
      const path = this.#waiting.shift();
      if (path === undefined || words.some((word) => path.includes(word))) return path;
    }
  }

  /** Of a file: `beacons-beaconId-edit`. */
  nameOf(address: string): string {
    const [pattern = address] = [...this.#seen].find(([, seen]) => seen === address) ?? [];
    return pattern
      .replace(/^\/console(\/apps\/[^/]+(?=\/))?\//, '')
      .replace(/\W+/g, '-')
      .replace(/^-|-$/g, '');
  }

  unseen(): readonly string[] {
    return this.#patterns.map(({ pattern }) => pattern).filter((pattern) => !this.#seen.has(pattern));
  }
}
