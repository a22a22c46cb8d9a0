import assert from 'node:assert/strict';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { apiPrefix } from '../../../src/http/api.ts';
import type { Endpoint } from '../../../src/http/endpoint.ts';
import { errorsOf } from '../../../src/http/openapi/openapi.ts';

const checks = new WeakMap<TSchema, ReturnType<typeof Compile>>();

function checkOf(schema: TSchema) {
  const known = checks.get(schema) ?? Compile(schema);
  checks.set(schema, known);
  return known;
}

function fits(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith(':') || part === given[index]);
}

/** The endpoint that a request reaches; a literal path wins over one with parameters. */
export function endpointOf(endpoints: readonly Endpoint[], method: string, url: string): Endpoint | undefined {
  const path = (url.split('?')[0] ?? '').slice(apiPrefix.length);
  const found = endpoints.filter((endpoint) => endpoint.method === method && fits(endpoint.path, path));
  return found.sort((a, b) => a.path.split(':').length - b.path.split(':').length)[0];
}

/**
 * Every answer in any test is checked against the endpoint's OpenAPI document: the status and shape of a success, and
 * that an error is one of those listed.
 */
export function assertDocumented(
  endpoint: Endpoint,
  status: number,
  body: { readonly error?: { readonly name: string } },
): void {
  const where = `${endpoint.method} ${endpoint.path}`;
  if (status < 400) {
    const success = [endpoint.answer, endpoint.otherAnswer].find((answer) => answer?.status === status);
    assert.ok(success, `${where} answers with a documented status, not ${status}`);
    const check = checkOf(success.schema);
    const problems = check.Check(body) ? [] : [...check.Errors(body)].slice(0, 3);
    assert.deepEqual(problems, [], `${where} answers in the documented shape: ${JSON.stringify(body).slice(0, 500)}`);
    return;
  }
  const names: readonly string[] = errorsOf(endpoint);
  assert.ok(
    names.includes(body.error?.name ?? ''),
    `${where} answered with ${body.error?.name}, which its documentation does not list`,
  );
}
