import assert from 'node:assert/strict';
import type { SentRequest, TestApp } from './build-app.ts';

/** One refused request: the rule that it breaks, in words, and the expected answer. */
export interface Refusal {
  readonly rule: string;
  readonly request: SentRequest;
  readonly status: number;
  readonly code: number;
  /** The fields that `details` names, in any order. */
  readonly fields?: readonly string[];
}

/** Sends each request and compares status, code and the named fields with the expected ones. */
export async function assertRefusals(
  app: TestApp,
  headers: Readonly<Record<string, string>>,
  refusals: readonly Refusal[],
): Promise<void> {
  for (const { rule, request, status, code, fields } of refusals) {
    const answer = await app.send({ ...request, headers: { ...headers, ...request.headers } });
    const named = (answer.body.error?.details ?? []).map(({ field }: { field: string }) => field).sort();
    const got = { status: answer.status, code: answer.body.code, ...(fields ? { fields: named } : {}) };
    assert.deepEqual(
      got,
      { status, code, ...(fields ? { fields: [...fields].sort() } : {}) },
      `${rule}: ${JSON.stringify(answer.body)}`,
    );
  }
}

/** Creates a record and returns its id. */
export async function create(
  app: TestApp,
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const answer = await app.send({ method: 'POST', url, body, headers });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return (answer.body.result ?? answer.body).objectId;
}
