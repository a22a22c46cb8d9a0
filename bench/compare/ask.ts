import { type Agent, request } from 'node:http';
import type { Load } from './load.ts';

/**
 * Sends one request of a load. Returns the milliseconds until the last byte of the answer. @throws Error for a refusal
 */
export function ask(
  url: string,
  load: Load,
  { agent, n }: { readonly agent: Agent; readonly n: number },
): Promise<number> {
  const { method, headers, paths, bodies } = load;
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const call = request(url + (paths[n % paths.length] ?? '/'), { method, headers, agent }, (response) => {
      response.resume();
      response.on('end', () => {
        if ((response.statusCode ?? 500) < 300) resolve(performance.now() - begun);
        else reject(new Error(`${method} ${paths[n % paths.length]}: ${response.statusCode}`));
      });
    });
    call.on('error', reject);
    call.end(bodies?.[n % bodies.length]);
  });
}
