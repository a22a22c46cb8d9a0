import type { IncomingMessage } from 'node:http';
import { isAborted } from '../../base/flow/late-abort.ts';
import { traced, traceHeader } from '../../base/telemetry/tracing.ts';
import { openRequest } from '../provider/open-request.ts';
import { TargetRefused, type TargetRules } from '../provider/target-rules.ts';

/** One POST to an external server: no redirects, no credentials, bounded in time and in what is read. */

export interface WebhookCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The result. `text` states it in a sentence. */
export interface CallResult {
  /** `again`: a later try may succeed. */
  readonly outcome: 'sent' | 'again' | 'refused';
  readonly text: string;
  readonly status?: number;
  /** The beginning of the answer's body. */
  readonly answer?: string;
  /** From `Retry-After`, ms. */
  readonly afterMs?: number;
  readonly durationMs: number;
}

export interface WebhookClient {
  readonly targets: TargetRules;
  /** For the whole call. */
  readonly timeoutMs: number;
  /** Epoch milliseconds, for a `Retry-After` that is a date. */
  readonly now: () => number;
  /** How much of an answer is read. */
  readonly maxAnswerBytes?: number | undefined;
}

/** Never throws, whatever the receiver does. */
export function callReceiver(call: WebhookCall, caller: WebhookClient, signal: AbortSignal): Promise<CallResult> {
  return traced(
    () => ({ name: 'webhook POST', kind: 'client' }),
    () => callOnce({ ...call, headers: { ...call.headers, ...traceHeader() } }, caller, signal),
  );
}

async function callOnce(call: WebhookCall, caller: WebhookClient, signal: AbortSignal): Promise<CallResult> {
  const start = performance.now();
  const result = (partial: Omit<CallResult, 'durationMs'>): CallResult => ({
    ...partial,
    durationMs: Math.round(performance.now() - start),
  });
  const refusal = caller.targets.refusalOfAddress(new URL(call.url).hostname);
  if (refusal !== undefined) return result({ outcome: 'refused', text: `Not called: ${refusal}.` });
  if (isAborted(signal)) return result({ outcome: 'again', text: 'It was interrupted.' });
  const timeout = AbortSignal.timeout(caller.timeoutMs);
  try {
    const { response, answer } = await post(call, caller, AbortSignal.any([signal, timeout]));
    return result({ ...judge(response, caller.now()), status: response.statusCode ?? 0, answer });
  } catch (error) {
    if (error instanceof TargetRefused) return result({ outcome: 'refused', text: `Not called: ${error.message}.` });
    const text = timeout.aborted
      ? `No answer within ${Math.ceil(caller.timeoutMs / 1000)} s.`
      : `No connection: ${reasonOf(error)}.`;
    return result({ outcome: 'again', text });
  }
}

/** A system error names the address and the port; an aggregate of several has no message of its own. */
function reasonOf(error: unknown): string {
  const { message, code, errors } = error as NodeJS.ErrnoException & { readonly errors?: readonly Error[] };
  return message || errors?.map((one) => one.message).join(', ') || code || 'unknown reason';
}

async function post(call: WebhookCall, { targets, maxAnswerBytes = 4_096 }: WebhookClient, signal: AbortSignal) {
  const body = Buffer.from(call.body);
  const headers = { ...call.headers, 'content-length': body.length };
  const response = await openRequest(call.url, { targets, method: 'POST', headers, body }, signal);
  const answer = await beginningOf(response, maxAnswerBytes);
  response.destroy();
  return { response, answer };
}

/** The status has arrived and counts, whatever happens to the rest of the body. */
async function beginningOf(response: IncomingMessage, maxAnswerBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk as Buffer);
      length += (chunk as Buffer).length;
      if (length >= maxAnswerBytes) break;
    }
  } catch {
    // Too slow, or cut off.
  }
  const text = Buffer.concat(chunks).subarray(0, maxAnswerBytes).toString('utf8');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: PostgreSQL stores no U+0000, and a console shows none of them
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '\ufffd');
}

type Judged = Pick<CallResult, 'outcome' | 'text' | 'afterMs'>;

function judge(response: IncomingMessage, now: number): Judged {
  const status = response.statusCode ?? 0;
  const said = `${status}${response.statusMessage ? ` ${response.statusMessage.slice(0, 100)}` : ''}`;
  if (status >= 200 && status < 300) return { outcome: 'sent', text: `Answered ${said}.` };
  if (status >= 300 && status < 400) {
    const to = (response.headers.location ?? 'nowhere').slice(0, 300);
    return { outcome: 'refused', text: `Answered ${said}: a redirect to ${to}, but redirects are not followed.` };
  }
  if (status === 408 || status === 429 || status >= 500) {
    const afterMs = readRetryAfter(response.headers['retry-after'], now);
    return { outcome: 'again', text: `Answered ${said}.`, ...(afterMs === undefined ? {} : { afterMs }) };
  }
  return { outcome: 'refused', text: `Answered ${said}.` };
}

/** RFC 9110, 10.2.3: seconds, or a date. */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
