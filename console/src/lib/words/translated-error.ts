import { PharosError, type PharosProblem } from '@pharos/sdk';
import { translated } from './words.ts';

/** An error of the service, or of the connection to it, with what it says in the language of the page. */
export function translatedError(error: PharosError): PharosError {
  const { name, code, status, requestId, retryAfter, challenge, mayBeDone, cause } = error;
  const details = error.details.map(({ field, problem }) => ({ field, problem: translated(problem) }));
  const message = error.message === summary(error.details) ? translated(summary(details)) : translated(error.message);
  return new PharosError(message, { name, code, status, details, requestId, retryAfter, challenge, mayBeDone, cause });
}

const maxInSummary = 5;

/** How the service says all problems in one sentence. */
function summary(problems: readonly PharosProblem[]): string {
  const shown = problems.slice(0, maxInSummary).map(({ field, problem }) => `${field} ${problem}`.trim());
  const more = problems.length - maxInSummary;
  const said = shown.join('; ');
  return more > 0 ? `${said} (and ${more} more).` : `${said}.`;
}
