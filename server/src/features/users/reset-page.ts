import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { AppContext } from '../../access/context.ts';
import type { Clock } from '../../base/clock.ts';
import { Failure, fail } from '../../base/errors.ts';
import { readBody } from '../../http/server/read-body.ts';
import { asFailure } from '../../http/server/render-error.ts';
import type { AttemptLimits } from '../../sign-in/attempts.ts';
import type { FindApp, PasswordReset } from './password-reset.ts';
import { readReset } from './schemas.ts';

const mostFormBytes = 16_384;

export interface ResetPageDeps {
  readonly findApp: FindApp;
  readonly reset: PasswordReset;
  readonly limits: AttemptLimits;
  readonly now: Clock;
}

const style = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:10vh auto;padding:0 1rem}
label,input,button{display:block;width:100%;box-sizing:border-box;font:inherit}input{padding:.6rem;margin:.3rem 0 1rem}button{padding:.7rem}
[role=alert]{border-left:4px solid #c0392b;padding:.4rem .8rem}`;

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  // The address holds the token.
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/**
 * `/password-reset`: the target of the mail's link if the app has no page of its own. The token authenticates the
 * caller.
 */
export async function registerResetPage(server: FastifyInstance, deps: ResetPageDeps): Promise<void> {
  const { findApp, reset, limits, now } = deps;

  async function appOf(input: Input): Promise<AppContext> {
    const app = /^[0-9A-Za-z]{1,64}$/.test(input.app) ? await findApp(input.app) : undefined;
    if (app && (await reset.isUsable(app.appId, input.token))) return app;
    throw fail(
      'ObjectNotFound',
      'This link is not valid, has expired or has been used. Ask for a new mail in the app.',
    );
  }

  await server.register(async (page) => {
    page.removeAllContentTypeParsers();
    page.addContentTypeParser('application/x-www-form-urlencoded', (_request, payload, done) => {
      readBody(payload, mostFormBytes, (failure, body) =>
        done(failure, Object.fromEntries(new URLSearchParams(String(body ?? '')))),
      );
    });
    page.setErrorHandler((error, request, reply) => {
      const failure = asFailure(error);
      if (failure.entry.status >= 500) request.log.error({ err: failure.cause ?? failure }, failure.message);
      void answer(reply, failure.entry.status, alert(failure.message));
    });
    page.addHook('onRequest', async (request) => limits.openPage(request.ip, now()));
    page.get('/password-reset', async (request, reply) => {
      const input = readInput(request.query);
      return answer(reply, 200, form(await appOf(input), input));
    });
    page.post('/password-reset', async (request, reply) => {
      const input = readInput(request.body);
      const app = await appOf(input);
      try {
        const { token, password } = readReset(input, app);
        await reset.complete(app, token, password);
      } catch (error) {
        if (!(error instanceof Failure) || error.entry.status !== 400) throw error;
        return answer(reply, 400, alert(error.message) + form(app, input));
      }
      return answer(
        reply,
        200,
        `<h1>Done</h1><p>Your new password is set. You can now sign in to ${escapeHtml(app.name)} with it.</p>`,
      );
    });
  });
}

interface Input {
  readonly app: string;
  readonly token: string;
  readonly password: string;
}

function readInput(given: unknown): Input {
  const values = (given ?? {}) as Readonly<Record<string, unknown>>;
  const text = (name: string) => (typeof values[name] === 'string' ? (values[name] as string) : '');
  return { app: text('app'), token: text('token'), password: text('password') };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const alert = (message: string) => `<p role="alert">${escapeHtml(message)}</p>`;

function form(app: AppContext, input: Input): string {
  const least = app.policy.passwordMinLength;
  return `<h1>Choose a new password</h1><p>For your account at ${escapeHtml(app.name)}.</p>
<form method="post" action="/password-reset"><input type="hidden" name="app" value="${escapeHtml(input.app)}">
<input type="hidden" name="token" value="${escapeHtml(input.token)}">
<label for="password">New password, ${least} to 50 characters</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${least}" maxlength="50" required autofocus>
<button>Set the new password</button></form>`;
}

function answer(reply: FastifyReply, status: number, content: string): FastifyReply {
  return reply
    .code(status)
    .headers(headers)
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>New password</title><style>${style}</style></head><body><main>${content}</main></body></html>`,
    );
}
