import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import type { BlobCount } from './blob-store.ts';
import type { S3Address } from './s3-address.ts';

type Sdk = typeof import('@aws-sdk/client-s3');

/** What one kind of request may take, in milliseconds: each try, and all tries together. */
interface Limits {
  readonly attempt: number;
  readonly all: number;
}

/** A part of 5 MiB may take as many times as long as a request without a body. */
const timesForPart = 6;
const tries = 3;

/**
 * The connections to one bucket. Requests are tried three times, with growing waits, and every one has a limit. Reads are not
 * limited in number: one that a slow client holds up must not keep others waiting.
 */
export class S3Connection {
  readonly sdk: Sdk;
  readonly client: S3Client;
  readonly #timeoutMs: number;
  readonly #counts = new Map<string, { ok: number; failed: number; seconds: number }>();

  constructor(sdk: Sdk, client: S3Client, timeoutMs: number) {
    this.sdk = sdk;
    this.client = client;
    this.#timeoutMs = timeoutMs;
  }

  /** Does one request, which `how` sends, and counts it. `hasBody`: it carries a part of a file. */
  async run<T>(
    operation: string,
    how: (options: { readonly abortSignal: AbortSignal; readonly requestTimeout: number }) => Promise<T>,
    { hasBody = false, isExpected = () => false }: { hasBody?: boolean; isExpected?: (error: unknown) => boolean } = {},
  ): Promise<T> {
    const { attempt, all } = this.#limits(hasBody);
    const begun = performance.now();
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(new Error(`No answer within ${all} ms.`)), all);
    try {
      const answer = await how({ abortSignal: over.signal, requestTimeout: attempt });
      this.#note(operation, begun, true);
      return answer;
    } catch (error) {
      this.#note(operation, begun, isExpected(error));
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  counts(): readonly BlobCount[] {
    return [...this.#counts].flatMap(([operation, { ok, failed, seconds }]) => [
      { operation, result: 'ok' as const, count: ok, seconds },
      { operation, result: 'failed' as const, count: failed, seconds: 0 },
    ]);
  }

  #limits(hasBody: boolean): Limits {
    const attempt = this.#timeoutMs * (hasBody ? timesForPart : 1);
    return { attempt, all: attempt * 2 };
  }

  #note(operation: string, begun: number, isOk: boolean): void {
    const known = this.#counts.get(operation) ?? { ok: 0, failed: 0, seconds: 0 };
    if (isOk) known.ok++;
    else known.failed++;
    known.seconds += (performance.now() - begun) / 1000;
    this.#counts.set(operation, known);
  }
}

/** The SDK is loaded only where files are in S3: it takes 35 MB and half a second. */
export async function connectS3(address: S3Address, timeoutMs: number): Promise<S3Connection> {
  const sdk = await import('@aws-sdk/client-s3');
  const config: S3ClientConfig = {
    endpoint: address.endpoint,
    region: address.region,
    forcePathStyle: address.hasBucketInPath,
    ...(address.credentials ? { credentials: address.credentials } : {}),
    maxAttempts: tries,
    // Others than AWS know these checksums only since recently, or not at all. The signature covers the bytes.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: Math.min(3_000, timeoutMs),
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY },
      httpsAgent: { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY },
    },
  };
  return new S3Connection(sdk, new sdk.S3Client(config), timeoutMs);
}
