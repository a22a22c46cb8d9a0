import { Readable } from 'node:stream';
import { type Attachment, MailRefused, type MailSender, MailUnsure } from './mail-sender.ts';

export interface SmtpOptions {
  /** `smtp://user:password@host:587`, or `smtps:` for TLS from the start; with `smtp:` STARTTLS is used where offered. */
  readonly url: string;
  readonly from: string;
}

/**
 * Sends mails through an SMTP server, one connection per mail. The mail library is loaded with the first mail: it takes
 * 12 MB.
 */
export function createSmtpSender({ url, from }: SmtpOptions): MailSender {
  let transport: ReturnType<typeof createTransport> | undefined;
  return {
    async send({ to, subject, text, html, attachments = [], stopUrl, id }) {
      const parts = attachments.map(attached);
      try {
        // An address object, so that no display name or second address can be smuggled in.
        transport ??= createTransport(url);
        await (await transport).sendMail({
          from,
          to: { name: '', address: to },
          subject,
          text,
          ...(html === undefined ? {} : { html }),
          ...(parts.length === 0 ? {} : { attachments: parts }),
          ...(stopUrl === undefined ? {} : { headers: stopHeaders(stopUrl) }),
          ...(id === undefined ? {} : { messageId: `<${id}@pharos>` }),
        });
      } catch (error) {
        const { responseCode, message } = error as { responseCode?: number; message: string };
        // 5xx at sign-in is a matter of configuration and may be fixed; 5xx for the mail itself is permanent.
        if (responseCode !== undefined && responseCode >= 550 && responseCode < 560) throw new MailRefused(message);
        // The last part of the mail is read while it is sent: before its end the server cannot have taken the mail.
        if (responseCode === undefined && parts.at(-1)?.content.readableEnded) throw new MailUnsure(message);
        throw error;
      }
    },
    close: () => void transport?.then((made) => made.close()),
  };
}

const attached = ({ name, type, bytes }: Attachment) => ({
  filename: name,
  contentType: type,
  content: Readable.from([bytes]),
});

/** RFC 8058: mail programs show a button. */
const stopHeaders = (url: string) => ({
  'List-Unsubscribe': `<${url}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});

async function createTransport(url: string) {
  const nodemailer = await import('nodemailer');
  return nodemailer.createTransport({
    url,
    // Shorter than the lease of a job, so that a hanging server is given up before another worker tries.
    connectionTimeout: 8_000,
    greetingTimeout: 8_000,
    socketTimeout: 10_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
