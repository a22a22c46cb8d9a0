import { Type } from 'typebox';
import { type AnswerSpec, exampleId, objectIdSchema } from '../../../http/answers.ts';

/** An erasure goes on in the background; its receipt says how far it is. */
export const erasedAnswer: AnswerSpec = {
  status: 200,
  description: 'The account is gone; the rest is being erased.',
  schema: Type.Object({ result: Type.Object({ erasureId: objectIdSchema }) }),
  example: { result: { erasureId: exampleId } },
};
