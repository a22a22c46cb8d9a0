import { createMcpHandler, ProtocolError, Server } from '@modelcontextprotocol/server';
import type { FastifyRequest, InjectOptions, LightMyRequestResponse } from 'fastify';
import type { SecretKey } from '../../access/keys/secret-key.ts';
import { agentHeader, apiPrefix } from '../api.ts';
import type { Endpoint } from '../endpoint.ts';
import { buildOpenApi } from '../openapi/openapi.ts';
import { instructions, promptOf, prompts } from './guidance.ts';
import { listPages, readPage } from './pages.ts';
import { type ToolOperation, toolsOf } from './tools.ts';

export interface AgentServerOptions {
  readonly endpoints: readonly Endpoint[];
  readonly version: string;
  readonly mayWrite: boolean;
  readonly inject: (request: InjectOptions) => Promise<LightMyRequestResponse>;
}

export interface AgentServer {
  answer(request: FastifyRequest, key: SecretKey): Promise<Response>;
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
  const all = toolsOf(buildOpenApi({ endpoints, version, serverUrl: '/' }));
  const possible = all.filter(({ isWrite }) => mayWrite || !isWrite);

  function serverFor(original: FastifyRequest, { scopes }: SecretKey): Server {
    const tools = new Map(possible.filter((one) => one.isFor(scopes)).map((one) => [one.tool.name, one]));
    const server = new Server(
      { name: 'pharos', title: 'Pharos', version },
      { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions },
    );
    const ask = (request: Pick<InjectOptions, 'method' | 'url' | 'payload'>) => {
      const agent = server.getClientVersion()?.name ?? original.headers['user-agent'] ?? 'unknown';
      return inject({ ...request, ...asSentBy(original, agent) });
    };
    server.setRequestHandler('tools/list', () => ({ tools: [...tools.values()].map(({ tool }) => tool) }) as never);
    server.setRequestHandler('tools/call', async ({ params }) => {
      const operation = tools.get(params.name);
      if (!operation) throw new ProtocolError(invalidParams, missing(params.name, all, mayWrite));
      return call(operation, params.arguments ?? {}, ask);
    });
    server.setRequestHandler('resources/list', async () => ({ resources: await listPages() }));
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
    async answer(request, key) {
      const { fetch } = createMcpHandler(() => serverFor(request, key));
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

type Ask = (request: Pick<InjectOptions, 'method' | 'url' | 'payload'>) => Promise<LightMyRequestResponse>;

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
    return { content: [{ type: 'text' as const, text: body }], isError: statusCode >= 400 };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { content: [{ type: 'text' as const, text: error.message }], isError: true };
  }
}

function missing(name: string, all: readonly ToolOperation[], mayWrite: boolean): string {
  const known = all.find(({ tool }) => tool.name === name);
  if (!known) return `There is no tool ${name}.`;
  return known.isWrite && !mayWrite
    ? `${name} changes data; agents may only read here. The operator can allow it with PHAROS_MCP=write.`
    : `The secret key does not have the scope for ${name}.`;
}

/** @throws ProtocolError with what the interface says */
async function readSchema(bucket: string, ask: Ask): Promise<string> {
  const { statusCode, body } = await ask({ method: 'GET', url: `${apiPrefix}/data/schema/${bucket}` });
  if (statusCode >= 400) throw new ProtocolError(invalidParams, body);
  return body;
}
