import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMcpHandler, ProtocolError, Server } from '@modelcontextprotocol/server';
import type { FastifyRequest, InjectOptions, LightMyRequestResponse } from 'fastify';
import { agentHeader } from '../api.ts';
import type { Endpoint } from '../endpoint.ts';
import { buildOpenApi } from '../openapi/openapi.ts';
import { type AgentCaller, operationsOfRoles } from './agent-caller.ts';
import { instructions, promptOf, prompts } from './guidance.ts';
import { type ToolOperation, toolsOf } from './tools.ts';

const docs = fileURLToPath(new URL('../../../../docs', import.meta.url));
const scheme = 'pharos://handbook/';

/** Pages of the handbook, as they are written. */
async function listPages() {
  const own = (await readdir(join(docs, 'handbook'))).map((name) => `handbook/${name}`);
  const files = [...own, ...(await readdir(docs))].filter((name) => name.endsWith('.md'));
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(docs, file), 'utf8');
      const [, title = file] = /^# (.+)$/m.exec(text) ?? [];
      const name = file.slice(0, -'.md'.length);
      return { uri: scheme + name, name, title, mimeType: 'text/markdown', text };
    }),
  );
}

export interface AgentServerOptions {
  readonly endpoints: readonly Endpoint[];
  readonly version: string;
  readonly mayWrite: boolean;
  readonly inject: (request: InjectOptions) => Promise<LightMyRequestResponse>;
}

export interface AgentServer {
  answer(request: FastifyRequest, caller: AgentCaller): Promise<Response>;
}

const schemaForm = /^pharos:\/\/buckets\/(\w+)$/;
const schemaTemplate = {
  uriTemplate: 'pharos://buckets/{bucketName}',
  name: 'bucket',
  title: 'The columns of a bucket',
  mimeType: 'application/json',
};
/** JSON-RPC 2.0. */
const invalidRequest = -32_600;
const invalidParams = -32_602;

export function createAgentServer(options: AgentServerOptions): AgentServer {
  const { endpoints, version, mayWrite, inject } = options;
  const all = toolsOf(buildOpenApi({ endpoints, version, serverUrl: '/' }), operationsOfRoles(endpoints));
  // They come with the program: reading all of them for each request kept others waiting.
  let pages: Awaited<ReturnType<typeof listPages>> | undefined;
  const handbook = async () => {
    pages ??= await listPages();
    return pages;
  };
  /** Undefined: there is no such page. */
  const readPage = async (uri: string) => (await handbook()).find((one) => one.uri === uri)?.text;

  function serverFor(original: FastifyRequest, caller: AgentCaller): Server {
    const has = (one: ToolOperation) => (!one.isWrite || (mayWrite && caller.mayWrite)) && caller.isFor(one);
    const tools = new Map(all.filter(has).map((one) => [one.tool.name, one]));
    const server = new Server(
      { name: 'pharos', title: 'Pharos', version },
      { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions },
    );
    const ask: Ask = ({ url, ...request }) => {
      const agent = server.getClientVersion()?.name ?? original.headers['user-agent'] ?? 'unknown';
      return inject({ ...request, url: caller.prefix + url, ...asSentBy(original, agent) });
    };
    server.setRequestHandler('tools/list', () => ({ tools: [...tools.values()].map(({ tool }) => tool) }) as never);
    server.setRequestHandler('tools/call', async ({ params }) => {
      const operation = tools.get(params.name);
      if (!operation) throw new ProtocolError(invalidParams, missing(params.name, all, { mayWrite, caller }));
      return call(operation, params.arguments ?? {}, ask);
    });
    server.setRequestHandler('resources/list', async () => ({
      resources: (await handbook()).map(({ text: _, ...page }) => page),
    }));
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [schemaTemplate] }));
    server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
      const [, bucket] = schemaForm.exec(uri) ?? [];
      const text = bucket ? await readSchema(bucket, ask) : await readPage(uri);
      if (text === undefined) throw new ProtocolError(invalidParams, `There is no resource ${uri}.`);
      return { contents: [{ uri, mimeType: bucket ? 'application/json' : 'text/markdown', text }] };
    });
    server.setRequestHandler('prompts/list', () => ({ prompts: [...prompts] }));
    server.setRequestHandler('prompts/get', ({ params }) => {
      const prompt = promptOf(params.name, params.arguments ?? {});
      if (typeof prompt === 'string') throw new ProtocolError(invalidParams, prompt);
      return prompt;
    });
    return server;
  }

  return {
    async answer(request, caller) {
      const { fetch } = createMcpHandler(() => serverFor(request, caller));
      const { method, headers, body } = request;
      const text = String(body ?? '');
      if (/^\s*\[/.test(text)) return refusedBatch();
      // The library asks for an address, and does not look at it. What the request calls this one may be none.
      const sent = new Request('http://localhost', {
        method,
        headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
        ...(method === 'POST' ? { body: text } : {}),
      });
      return fetch(sent);
    },
  };
}

/** Revisions since 2025-06-18 have none. A hundred lists of 8 MiB would be answered together, and counted as one connection. */
const refusedBatch = () =>
  Response.json(
    { jsonrpc: '2.0', id: null, error: { code: invalidRequest, message: 'Send one message in each request.' } },
    { status: 400 },
  );

/** `url`: below the prefix of the caller. */
type Ask = (
  request: Pick<InjectOptions, 'method' | 'payload'> & { readonly url: string },
) => Promise<LightMyRequestResponse>;

/** With the caller's credentials and address, and what it says of proxies. */
function asSentBy({ raw, headers }: FastifyRequest, agent: string): Pick<InjectOptions, 'headers' | 'remoteAddress'> {
  const kept = Object.entries(headers).filter(
    ([name]) => /^(x-|authorization$|forwarded$)/.test(name) || name.endsWith('appid') || name.endsWith('appkey'),
  );
  return {
    headers: { ...Object.fromEntries(kept), 'content-type': 'application/json', [agentHeader]: agent },
    ...(raw.socket.remoteAddress === undefined ? {} : { remoteAddress: raw.socket.remoteAddress }),
  };
}

/** What the interface answers is what the tool returns; its errors say what to do. */
async function call(operation: ToolOperation, input: Readonly<Record<string, unknown>>, ask: Ask) {
  try {
    const { statusCode, body } = await ask({ method: operation.method, ...operation.requestOf(input) });
    return { content: [{ type: 'text' as const, text: shortened(body) }], isError: statusCode >= 400 };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { content: [{ type: 'text' as const, text: error.message }], isError: true };
  }
}

/** Characters that an agent is answered; more would fill what it can think about. */
const maxAnswer = 100_000;

const shortened = (body: string): string =>
  body.length <= maxAnswer
    ? body
    : `${body.slice(0, maxAnswer)}\n\nThe answer was cut here: ${maxAnswer} of its ${body.length} characters. Ask for less, with where, limit and skip or a shorter time.`;

function missing(
  name: string,
  all: readonly ToolOperation[],
  { mayWrite, caller }: { readonly mayWrite: boolean; readonly caller: AgentCaller },
): string {
  const known = all.find(({ tool }) => tool.name === name);
  if (!known) return `There is no tool ${name}.`;
  if (known.isWrite && !mayWrite)
    return `${name} changes data; agents may only read here. The operator can allow it with PHAROS_MCP=write.`;
  if (known.isWrite && !caller.mayWrite) return `${name} changes data; this agent may only read.`;
  return caller.lacks(name);
}

/** @throws ProtocolError with what the interface says */
async function readSchema(bucket: string, ask: Ask): Promise<string> {
  const { statusCode, body } = await ask({ method: 'GET', url: `/data/schema/${bucket}` });
  if (statusCode >= 400) throw new ProtocolError(invalidParams, body);
  return body;
}
