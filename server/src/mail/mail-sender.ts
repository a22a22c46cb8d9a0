export interface Mail {
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  /** The mail as HTML, for programs that show it. */
  readonly html?: string;
  readonly attachments?: readonly Attachment[];
  /** Where the recipient ends mails of this kind, also with a button of the mail program. */
  readonly stopUrl?: string;
  /** Kept over retries, so that a mail that arrives twice can be recognised. */
  readonly id?: string;
}

export interface Attachment {
  readonly name: string;
  /** Such as application/pdf. */
  readonly type: string;
  readonly bytes: Buffer;
}

export interface MailSender {
  /**
   * Resolves when a mail server has accepted the mail.
   *
   * @throws MailRefused when it never will, MailUnsure when it may have been accepted, anything else when another try may help
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

/** The connection broke after the whole mail was handed over, before the mail server said whether it took it. */
export class MailUnsure extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'MailUnsure';
  }
}
