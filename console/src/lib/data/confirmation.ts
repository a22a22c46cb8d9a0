import { createQuestion } from './question.ts';

/** Asks for the password again, before something grave. */
export const confirmation = createQuestion();
