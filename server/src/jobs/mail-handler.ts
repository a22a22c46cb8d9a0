import { type Mail, MailRefused, type MailSender } from '../mail/mail-sender.ts';
import { GiveUp, type Job, type JobHandler } from './job.ts';

/** Sends what `write` answers; undefined: by now nobody wants the mail. What the mail server refuses for good is not tried again. */
export const mailHandler = (
  mail: MailSender,
  write: (job: Job) => Promise<Mail | undefined>,
  { maxAttempts = 8, maxDelayMs = 600_000 }: Partial<Pick<JobHandler, 'maxAttempts' | 'maxDelayMs'>> = {},
): JobHandler => ({
  ...{ concurrency: 2, maxAttempts, baseDelayMs: 5_000, maxDelayMs },
  async run(job) {
    const letter = await write(job);
    if (!letter) return;
    try {
      await mail.send(letter);
    } catch (error) {
      throw error instanceof MailRefused ? new GiveUp(error.message) : error;
    }
  },
});
