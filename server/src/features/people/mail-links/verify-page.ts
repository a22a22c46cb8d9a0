import type { FastifyInstance } from 'fastify';
import type { AppContext } from '../../../access/context.ts';
import type { Clock } from '../../../base/clock.ts';
import { fail } from '../../../base/errors.ts';
import { escapeHtml } from '../../../http/escape-html.ts';
import type { AttemptLimits } from '../../../sign-in/attempts.ts';
import { readForms, readTexts, sayTo, sendPage } from '../../../sign-in/form-page.ts';
import type { MailLinks } from './service.ts';

export interface VerifyPageDeps {
  readonly findApp: (appId: string) => Promise<AppContext | undefined>;
  readonly links: MailLinks;
  readonly limits: AttemptLimits;
  readonly now: Clock;
}

const title = 'Your e-mail address';
const path = '/verify-email';
const names = ['app', 'token'] as const;

/**
 * The target of the mail's link if the app has no page of its own. Programs that look at links in mails open the page; only its
 * button confirms.
 */
export async function registerVerifyPage(server: FastifyInstance, deps: VerifyPageDeps): Promise<void> {
  const { findApp, links, limits, now } = deps;
  const appOf = async ({ app: appId, token }: Readonly<Record<(typeof names)[number], string>>) => {
    const app = /^[0-9A-Za-z]{1,64}$/.test(appId) ? await findApp(appId) : undefined;
    if (app && (await links.isUsable(app.appId, token))) return app;
    throw fail(
      'ObjectNotFound',
      'This link is not valid, has expired or has been used. Ask for a new mail in the app.',
    );
  };
  await server.register(async (page) => {
    readForms(page, title);
    page.addHook('onRequest', async (request) => limits.openPage(request.ip, now()));
    page.get(path, async (request, reply) => {
      const input = readTexts(request.query, names);
      const app = await appOf(input);
      const text = sayTo(request);
      const content = `<h1>${text('Confirm your address')}</h1><p>${text('For your account at {app}.', { app: app.name })}</p>
<form method="post" action="${path}"><input type="hidden" name="app" value="${escapeHtml(input.app)}">
<input type="hidden" name="token" value="${escapeHtml(input.token)}"><button>${text('The address is mine')}</button></form>`;
      return sendPage(reply, { status: 200, title, content });
    });
    page.post(path, async (request, reply) => {
      const input = readTexts(request.body, names);
      const app = await appOf(input);
      await links.verify(app, input.token);
      const text = sayTo(request);
      const sentence = text('Your address is confirmed. You can go back to {app}.', { app: app.name });
      const content = `<h1>${text('Done')}</h1><p>${sentence}</p>`;
      return sendPage(reply, { status: 200, title, content });
    });
  });
}
