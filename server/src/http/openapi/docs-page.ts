import { catalogue } from '../../base/errors.ts';
import { escapeHtml } from '../escape-html.ts';
import { face } from '../handbook/face.ts';
import type { OpenApiDocument, Operation } from './openapi.ts';

const style = `${face}
:root{color-scheme:light dark}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.6 system-ui,sans-serif}a{color:var(--link)}
.page{display:grid;grid-template-columns:15rem minmax(0,1fr);max-width:76rem;margin:0 auto}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.5rem 1rem;border-right:1px solid var(--line)}
nav a{display:block;padding:.2rem .4rem;color:var(--soft);text-decoration:none;border-radius:4px}
nav a:hover,nav a:focus{color:var(--link);background:var(--code)}
main{padding:1.5rem 2rem 6rem}
h1{font-size:1.8rem;margin:.2rem 0}h2{margin:2.5rem 0 .3rem;font-size:1.3rem}h3{font-size:1rem;margin:1.2rem 0 .3rem}
p{margin:.4rem 0}.soft{color:var(--soft)}
details{border:1px solid var(--line);border-radius:8px;margin:.5rem 0;padding:0 .9rem}
details[open]{padding-bottom:.9rem}
summary{cursor:pointer;padding:.6rem 0;display:flex;gap:.7rem;align-items:baseline;flex-wrap:wrap}
.method{font:600 .75rem/1 ui-monospace,monospace;padding:.25rem .4rem;border-radius:4px;background:var(--code);min-width:4rem;text-align:center}
code,pre{font-family:ui-monospace,monospace;font-size:.86rem}
code{overflow-wrap:anywhere}
pre{background:var(--code);padding:.8rem;border-radius:6px;overflow:auto;margin:.3rem 0}
table{border-collapse:collapse;width:100%;font-size:.92rem}th,td{text-align:left;padding:.35rem .6rem .35rem 0;border-bottom:1px solid var(--line);vertical-align:top}
@media (max-width:48rem){.page{display:block}nav{position:static;height:auto;border-right:0;border-bottom:1px solid var(--line);columns:2}main{padding:1rem}}
`;

export const docsStyle = style;

function pretty(value: unknown): string {
  return `<pre>${escapeHtml(JSON.stringify(value, null, 2))}</pre>`;
}

type Path = readonly [path: string, method: string, operation: Operation];

/** The reference as one page of plain HTML, without scripts or external resources. */
export function renderDocsPage(document: OpenApiDocument, introduction: string): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Path => [path, method, operation]),
  );
  const sections = document.tags.map(({ name, description }) => {
    const own = operations.filter(([, , operation]) => operation.tags?.includes(name));
    return `<h2 id="${anchor(name)}">${escapeHtml(name)}</h2><p class="soft">${escapeHtml(description)}</p>${own.map(renderOperation).join('')}`;
  });
  const links = document.tags.map(({ name }) => `<a href="#${anchor(name)}">${escapeHtml(name)}</a>`);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Pharos: the interface</title><link rel="icon" href="/console/lighthouse.svg" type="image/svg+xml"><style>${style}</style></head><body><div class="page">
<nav aria-label="Contents"><a href="#top"><strong>Pharos</strong></a>${links.join('')}<a href="#errors">Errors</a></nav>
<main id="top"><h1>The interface</h1>${introduction}${sections.join('\n')}<h2 id="errors">Errors</h2>${errorTable()}</main></div></body></html>`;
}

function anchor(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]+/g, '-');
}

interface Media {
  readonly example?: unknown;
  readonly schema?: MemberSchema;
}

function renderOperation([path, method, operation]: Path): string {
  const body = (operation['requestBody'] as { content: Record<string, Media> } | undefined)?.content[
    'application/json'
  ];
  const parameters = (operation['parameters'] ?? []) as { name: string; in: string; description: string }[];
  const parts = [
    operation['description'] ? `<p>${escapeHtml(String(operation['description']))}</p>` : '',
    `<p class="soft">${needs(operation['security'] as readonly object[])}</p>`,
    parameters.length > 0 ? `<h3>Parameters</h3>${parameterTable(parameters)}` : '',
    body ? `<h3>Body</h3>${memberTable(body.schema)}${pretty(body.example)}` : '',
    ...Object.entries(operation.responses).map(([status, response]) => renderResponse(status, response)),
  ];
  return `<details id="${operation.operationId}"><summary><span class="method">${method.toUpperCase()}</span><code>${escapeHtml(path)}</code><span class="soft">${escapeHtml(operation.summary)}</span></summary>${parts.join('')}</details>`;
}

function needs(security: readonly object[]): string {
  const withBearer = security.filter((scheme) => 'bearer' in scheme).length;
  if (withBearer === 0) return 'Needs the app headers.';
  return withBearer === security.length
    ? 'Needs the app headers and an access token.'
    : 'Needs the app headers; an access token is optional.';
}

function parameterTable(
  parameters: readonly { readonly name: string; readonly in: string; readonly description: string }[],
): string {
  const rows = parameters.map(
    (parameter) =>
      `<tr><td><code>${escapeHtml(parameter.name)}</code></td><td class="soft">${parameter.in}</td><td>${escapeHtml(parameter.description)}</td></tr>`,
  );
  return `<table>${rows.join('')}</table>`;
}

/** The parts of JSON Schema that the declarations use. */
interface MemberSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: MemberSchema;
  readonly properties?: Readonly<Record<string, MemberSchema>>;
  readonly required?: readonly string[];
}

function memberTable(schema: MemberSchema | undefined): string {
  const rows = Object.entries(schema?.properties ?? {}).map(([name, member]) => {
    const need = schema?.required?.includes(name) ? 'required' : 'optional';
    const about = [ruleOf(member), member.description ?? ''].filter((text) => text !== '').join('. ');
    return `<tr><td><code>${escapeHtml(name)}</code></td><td class="soft">${need}</td><td>${escapeHtml(about)}</td></tr>`;
  });
  return rows.length === 0 ? '' : `<table>${rows.join('')}</table>`;
}

/** A member's type and limits in a few words: `string, 1 to 50 characters`. */
function ruleOf(schema: MemberSchema): string {
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  if (schema.const !== undefined) return `always ${String(schema.const)}`;
  if (schema.type === 'array') return `array of ${ruleOf(schema.items ?? {}) || 'values'}`;
  const members = Object.keys(schema.properties ?? {});
  if (schema.type === 'object' && members.length > 0) return `object with ${members.join(', ')}`;
  return [
    schema.type ?? '',
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minimum, schema.maximum, ''),
  ]
    .filter((text) => text !== '')
    .join(', ');
}

function range(from: number | undefined, to: number | undefined, unit: string): string {
  if (from !== undefined && to !== undefined) return `${from} to ${to}${unit}`;
  if (to !== undefined) return `at most ${to}${unit}`;
  return from === undefined ? '' : `at least ${from}${unit}`;
}

function renderResponse(status: string, response: Readonly<Record<string, unknown>>): string {
  const media = (response['content'] as Record<string, Media> | undefined)?.['application/json'];
  const example = status.startsWith('2') && media?.example !== undefined ? pretty(media.example) : '';
  return `<h3>${status}</h3><p>${escapeHtml(String(response['description']))}</p>${example}`;
}

function errorTable(): string {
  const rows = Object.values(catalogue).map(
    (entry) =>
      `<tr><td><code>${entry.name}</code></td><td>${entry.status}</td><td>${entry.code}</td><td>${escapeHtml(entry.meaning)}</td></tr>`,
  );
  return `<table><tr><th>Name</th><th>Status</th><th>Code</th><th>Meaning</th></tr>${rows.join('')}</table>`;
}
