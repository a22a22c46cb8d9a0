import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../../base/errors.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { jsonLimits, parseJsonBody } from './json-body.ts';
import { readBody } from './read-body.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What answers it; undefined where nothing does, and for what Fastify routes itself. */
    routed: Route | undefined;
    /** The path of what answers it, with the names of its parameters; empty where nothing does, undefined for what Fastify routes itself. */
    pattern: string | undefined;
  }
}

export interface Route {
  readonly method: string;
  /** Below the prefix of the plugin, with `:name` for parameters. */
  readonly path: string;
  /** The handler reads the body itself, of whatever type it is. */
  readonly takesStream?: boolean;
  /** Before the body is read. @throws Failure */
  readonly begin: (request: FastifyRequest, reply: FastifyReply) => MaybePromise<unknown>;
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => unknown;
}

interface Node {
  readonly literals: Map<string, Node>;
  parameter: Node | undefined;
  /** By method; with HEAD where there is GET. */
  readonly routes: Map<string, Named>;
}

interface Named {
  readonly route: Route;
  /** Of its parameters, in their order. */
  readonly names: readonly string[];
  /** It answers for an empty last parameter. */
  readonly isForEmpty: boolean;
}

const newNode = (): Node => ({ literals: new Map(), parameter: undefined, routes: new Map() });

/**
 * Finds the path first and then its method: `GET /users/signin`, of which there is only `POST`, is refused and not taken for an
 * objectId. A literal counts before a parameter, and no parameter is empty.
 */
export class Router {
  readonly #root = newNode();

  constructor(routes: readonly Route[]) {
    for (const route of routes) this.#add(route);
  }

  #add(route: Route): void {
    const parts = route.path.split('/').slice(1);
    const names = parts.filter((part) => part.startsWith(':')).map((part) => part.slice(1));
    let node = this.#root;
    for (const [index, part] of parts.entries()) {
      const isParameter = part.startsWith(':');
      // An empty file name is a name that the endpoint refuses, not another address.
      if (isParameter && route.takesStream && index === parts.length - 1) set(node, { route, names, isForEmpty: true });
      if (isParameter) node.parameter ??= newNode();
      else if (!node.literals.has(part)) node.literals.set(part, newNode());
      node = (isParameter ? node.parameter : node.literals.get(part)) as Node;
    }
    set(node, { route, names, isForEmpty: false });
  }

  /** `path` as it was sent, below the prefix. */
  find(method: string, path: string): { readonly route: Route; readonly params: Record<string, string> } | undefined {
    const values: string[] = [];
    const found = at(this.#root, partsOf(path), 0, values)?.routes.get(method);
    if (!found) return undefined;
    return {
      route: found.route,
      params: Object.fromEntries(found.names.map((name, index) => [name, values[index] ?? ''])),
    };
  }

  methodsOf(path: string): readonly string[] {
    const routes = [...(at(this.#root, partsOf(path), 0, [])?.routes ?? [])];
    const methods = routes.filter(([, { isForEmpty }]) => !isForEmpty).map(([method]) => method);
    return methods.length === 0 ? [] : [...methods, 'OPTIONS'].sort();
  }
}

function set({ routes }: Node, named: Named): void {
  const { method } = named.route;
  for (const one of method === 'GET' ? ['GET', 'HEAD'] : [method]) routes.set(one, named);
}

/** A slash at the end does not count. */
function partsOf(path: string): readonly string[] {
  const parts = path.split('/').slice(1);
  if (parts.length > 1 && parts.at(-1) === '') parts.pop();
  return parts.map((part) => (part.includes('%') ? decodeURIComponent(part) : part));
}

function at(node: Node, parts: readonly string[], index: number, values: string[]): Node | undefined {
  const part = parts[index];
  if (part === undefined) return node.routes.size > 0 ? node : undefined;
  const literal = node.literals.get(part);
  const found = literal && at(literal, parts, index + 1, values);
  if (found || !node.parameter || part === '') return found;
  values.push(part);
  const under = at(node.parameter, parts, index + 1, values);
  if (!under) values.pop();
  return under;
}

/**
 * Serves the routes below the prefix of the plugin. One route of the framework leads to all of them: hundreds of its own take most
 * of the time that the service needs to start.
 */
export function registerRoutes(
  fastify: FastifyInstance,
  router: Router,
  refuse: (request: FastifyRequest, reply: FastifyReply) => MaybePromise<unknown>,
): void {
  fastify.decorateRequest('routed', undefined);
  fastify.decorateRequest('pattern', undefined);
  acceptBodies(fastify);
  fastify.route({
    method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url: '/*',
    onRequest: (request, reply, done) => {
      try {
        const found = router.find(request.method, pathBelow(fastify.prefix, request));
        request.pattern = found ? fastify.prefix + found.route.path : '';
        if (found) {
          request.routed = found.route;
          request.params = found.params;
        }
        const begun = found ? found.route.begin(request, reply) : refuse(request, reply);
        if (begun instanceof Promise) begun.then(() => done(), done);
        else done();
      } catch (error) {
        // The framework is called back.
        done(error as Error);
      }
    },
    handler: (request, reply) => request.routed?.handle(request, reply),
  });
}

/** The path of a request below a prefix, as it was sent. */
export const pathBelow = (prefix: string, { url }: Pick<FastifyRequest, 'url'>): string =>
  (url.split(/[?#]/, 1)[0] ?? '').slice(prefix.length);

/** The path of what answers, without what it names; empty where nothing does. */
export const patternOf = ({ pattern, routeOptions }: FastifyRequest): string => pattern ?? routeOptions.url ?? '';

function acceptBodies(fastify: FastifyInstance): void {
  acceptJson(fastify);
  fastify.addContentTypeParser('*', ({ routed }, _payload, done) =>
    done(routed?.takesStream ? null : fail('UnsupportedMediaType')),
  );
}

export function acceptJson(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', (request, payload, done) => {
    if (request.routed?.takesStream) return done(null);
    readBody(payload, jsonLimits.bytes, (failure, body) => {
      // Many clients send a content type without a body; an endpoint that needs a body asks for it.
      if (!body || request.method === 'DELETE' || body.length === 0) return done(failure, undefined);
      try {
        done(null, parseJsonBody(body));
      } catch (error) {
        done(error as Error);
      }
    });
  });
}
