import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface S3Server {
  readonly port: number;
  /** The address of a prefix in its bucket, as PHAROS_FILES_URL. */
  url(
    prefix: string,
    how?: { readonly credentials?: string; readonly bucket?: string; readonly port?: number },
  ): string;
  /** It stops answering, and keeps its connections. */
  pause(): void;
  goOn(): void;
  close(): Promise<void>;
}

const bucket = 'pharos-files';

/** A server that speaks S3 (s3rver), with one bucket; each test uses a prefix of its own. */
export async function startS3(): Promise<S3Server> {
  const program = fileURLToPath(new URL('s3rver-process.mjs', import.meta.url));
  const child: ChildProcess = spawn(process.execPath, ['--openssl-legacy-provider', program, bucket], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    port,
    url: (prefix, how = {}) =>
      `s3+http://${how.credentials ?? 'S3RVER:S3RVER'}@127.0.0.1:${how.port ?? port}/${how.bucket ?? bucket}/${prefix}`,
    pause: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
    async close() {
      const gone = once(child, 'exit');
      child.kill('SIGCONT');
      child.disconnect();
      await gone;
    },
  };
}
