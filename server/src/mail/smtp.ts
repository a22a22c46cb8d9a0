import { createTransport } from 'nodemailer';
import { MailRefused, type MailSender } from './mail-sender.ts';

export interface SmtpOptions {
  /** `smtp://user:password@host:587`, or `smtps:` for TLS from the start; with `smtp:` STARTTLS is used where offered. */
  readonly url: string;
  readonly from: string;
}

/** Sends mails through an SMTP server, one connection a mail. */
export function createSmtpSender({ url, from }: SmtpOptions): MailSender {
  const transport = createTransport({
    url,
    // Below the lease of a job, so that a server that hangs is given up before another worker tries.
    connectionTimeout: 8_000,
    greetingTimeout: 8_000,
    socketTimeout: 10_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ to, subject, text }) {
      try {
        // An address object: a display name or a second address cannot be smuggled in.
        await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
      } catch (error) {
        const { responseCode, message } = error as { responseCode?: number; message: string };
        // 5xx to the login is a matter of configuration and may be put right; 5xx to the mail itself is not.
        if (responseCode !== undefined && responseCode >= 550 && responseCode < 560) throw new MailRefused(message);
        throw error;
      }
    },
    close: () => transport.close(),
  };
}
