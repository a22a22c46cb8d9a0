import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../../../base/clock.ts';
import type { ConsoleCookies } from '../../../../http/console/console-cookies.ts';
import { callbackPath, type SingleSignOn, type SingleSignOnResult } from './single-sign-on.ts';

export interface CallbackDeps {
  readonly singleSignOn: SingleSignOn;
  readonly now: Clock;
  readonly cookies: ConsoleCookies;
}

/** Where a provider sends the browser back to. Whatever comes, the answer leads to a page of the console. */
export function registerCallback(server: FastifyInstance, { singleSignOn, now, cookies }: CallbackDeps): void {
  server.get(callbackPath, { exposeHeadRoute: false }, async (request, reply) => {
    const browser = cookies.attempt.read(request.headers.cookie);
    const query = request.url.split('?').slice(1).join('?');
    const client = { address: request.ip, headers: request.raw.headers };
    const ending = await singleSignOn.finish({ query, browser }, client);
    // Only the browser that began loses its cookie: a link that leads here must not end somebody's attempt.
    if (!('problem' in ending) || ending.problem !== 'again')
      reply.header('set-cookie', cookies.attempt.write(undefined));
    if ('session' in ending && ending.session) reply.header('set-cookie', cookies.session.write(ending.session, now()));
    return reply
      .header('cache-control', 'no-store')
      .header('referrer-policy', 'no-referrer')
      .redirect(addressOf(ending), 303);
  });
}

function addressOf(ending: SingleSignOnResult): string {
  if (!('problem' in ending)) return `/console${ending.next}`;
  const { problem, isSignedIn, next } = ending;
  if (isSignedIn) return `/console/account?${new URLSearchParams({ problem })}`;
  return `/console/sign-in?${new URLSearchParams({ problem, ...(next === '/apps' ? {} : { next }) })}`;
}
