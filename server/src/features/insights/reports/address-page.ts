import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import { fail } from '../../../base/errors.ts';
import { escapeHtml } from '../../../http/escape-html.ts';
import type { AttemptLimits } from '../../../sign-in/attempts.ts';
import { readForms, readTexts, sayTo, sendPage } from '../../../sign-in/form-page.ts';
import type { ReportAddresses } from './addresses.ts';

export interface AddressPageDeps {
  readonly addresses: Pick<ReportAddresses, 'open' | 'confirm' | 'stop'>;
  readonly limits: AttemptLimits;
  readonly now: Clock;
  readonly nameOf: (appId: string, reportId: string) => Promise<string>;
}

const title = 'Reports by mail';

const pages = {
  '/report-address': {
    kind: 'confirm',
    question: 'Do you want the figures of {name} by mail?',
    button: 'Yes, send them to me',
    done: 'Done. The next report comes to you.',
  },
  '/report-stop': {
    kind: 'stop',
    question: 'Do you want no more reports about {name}?',
    button: 'Send me no more of them',
    done: 'Done. You get no more of these mails.',
  },
} as const;

/**
 * The pages of the links in mails to people who are no administrators. Programs that look at links open the page; only its button,
 * or that of the mail program (RFC 8058), does anything.
 */
export async function registerAddressPages(server: FastifyInstance, deps: AddressPageDeps): Promise<void> {
  const { addresses, limits, now, nameOf } = deps;
  for (const [path, { kind, question, button, done }] of Object.entries(pages)) {
    const found = async (token: string) => {
      const row = await addresses.open(kind, token);
      if (!row) throw fail('ObjectNotFound', 'This link is not valid, has expired or has been used.');
      return nameOf(row.app_id, row.report_id);
    };
    await server.register(async (page) => {
      readForms(page, title);
      page.addHook('onRequest', async (request) => limits.openPage(request.ip, now()));
      page.get(path, async (request, reply) => {
        const { token } = readTexts(request.query, ['token']);
        const text = sayTo(request);
        const content = `<h1>${text(question, { name: await found(token) })}</h1>
<form method="post" action="${path}"><input type="hidden" name="token" value="${escapeHtml(token)}"><button>${text(button)}</button></form>`;
        return sendPage(reply, { status: 200, title, content });
      });
      page.post(path, async (request, reply) => {
        const token = readTexts(request.body, ['token']).token || readTexts(request.query, ['token']).token;
        await found(token);
        await addresses[kind](token, request.ip);
        return sendPage(reply, { status: 200, title, content: `<h1>${sayTo(request)(done)}</h1>` });
      });
    });
  }
}
