import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppContext } from '../../../access/context.ts';
import type { Clock } from '../../../base/clock.ts';
import { Failure, fail } from '../../../base/errors.ts';
import { escapeHtml } from '../../../http/escape-html.ts';
import type { AttemptLimits } from '../../../sign-in/attempts.ts';
import { alertHtml, failureText, readForms, readTexts, type Say, sayTo, sendPage } from '../../../sign-in/form-page.ts';
import { pageLanguageOf, say } from '../../../sign-in/page-words.ts';
import type { FindApp, PasswordReset } from './password-reset.ts';
import { readReset } from './schemas.ts';

export interface ResetPageDeps {
  readonly findApp: FindApp;
  readonly reset: PasswordReset;
  readonly limits: AttemptLimits;
  readonly now: Clock;
}

const title = 'New password';
const names = ['app', 'token', 'password'] as const;

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
    readForms(page, title);
    page.addHook('onRequest', async (request) => limits.openPage(request.ip, now()));
    page.get('/password-reset', async (request, reply) => {
      const input = readTexts(request.query, names);
      return answer(reply, 200, form(await appOf(input), input, sayTo(request)));
    });
    page.post('/password-reset', async (request, reply) => {
      const input = readTexts(request.body, names);
      const app = await appOf(input);
      try {
        const { token, password } = readReset(input, app);
        await reset.complete(app, token, password);
      } catch (error) {
        if (!(error instanceof Failure) || error.entry.status !== 400) throw error;
        return answer(reply, 400, alertHtml(refusal(error, request, app)) + form(app, input, sayTo(request)));
      }
      const text = sayTo(request);
      const sentence = text('Your new password is set. You can now sign in to {app} with it.', { app: app.name });
      return answer(reply, 200, `<h1>${text('Done')}</h1><p>${sentence}</p>`);
    });
  });
}

type Input = Readonly<Record<(typeof names)[number], string>>;

/** Why a password was refused: its length is all that is asked of it. */
function refusal(error: Failure, { headers }: FastifyRequest, { policy }: AppContext): string {
  const language = pageLanguageOf(headers);
  const isOfPassword =
    error.entry.name === 'PasswordMissing' || error.details?.some(({ field }) => field === 'password');
  return language !== 'en' && isOfPassword
    ? say(language, 'The password needs {least} to 50 characters.', { least: policy.passwordMinLength })
    : failureText(error, language);
}

function form(app: AppContext, input: Input, text: Say): string {
  const least = app.policy.passwordMinLength;
  return `<h1>${text('Choose a new password')}</h1><p>${text('For your account at {app}.', { app: app.name })}</p>
<form method="post" action="/password-reset"><input type="hidden" name="app" value="${escapeHtml(input.app)}">
<input type="hidden" name="token" value="${escapeHtml(input.token)}">
<label for="password">${text('New password, {least} to 50 characters', { least })}</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${least}" maxlength="50" required autofocus>
<button>${text('Set the new password')}</button></form>`;
}

const answer = (reply: FastifyReply, status: number, content: string) => sendPage(reply, { status, title, content });
