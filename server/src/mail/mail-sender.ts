export interface Mail {
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
}

/** The port to a mail server. */
export interface MailSender {
  /**
   * Resolves when a mail server has accepted the mail.
   *
   * @throws MailRefused when it never will, anything else when another try may help
   */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** The mail server refused the mail permanently, for example because the address does not exist. */
export class MailRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'MailRefused';
  }
}
