import { type Static, Type } from 'typebox';
import type { Problem } from '../../base/errors.ts';

/** How a push is shown, beyond its words; each push service takes it in its own way (docs/interface.md, Options of a push). */

const name = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 64, description }));

export const pushOptions = Type.Object(
  {
    category: name(
      'Which set of buttons and behaviour of the app: the category of iOS; Android and browsers find it in the data',
    ),
    buttons: Type.Optional(
      Type.Array(
        Type.Object({
          id: Type.String({ minLength: 1, maxLength: 64, description: 'What the app is told when it is pressed' }),
          title: Type.String({ minLength: 1, maxLength: 64 }),
          uri: Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description: 'What it opens' })),
        }),
        { minItems: 1, maxItems: 4, description: 'Browsers show two and Android three; on iOS the category has them' },
      ),
    ),
    replaces: name('A later message with the same name takes the place of this one'),
    thread: name('Messages with the same name are grouped'),
    level: Type.Optional(
      Type.Enum(['passive', 'active', 'timeSensitive', 'critical'], {
        description:
          'passive: quietly into the list; timeSensitive: also through a focus; critical: also when muted, for apps that Apple has ' +
          'allowed it. active by default',
      }),
    ),
  },
  { description: 'How it is shown, beyond its words' },
);
export type PushOptions = Static<typeof pushOptions>;

export function optionProblems(options: PushOptions | null | undefined): Problem[] {
  const ids = options?.buttons?.map(({ id }) => id) ?? [];
  const twice = ids.find((id, place) => ids.indexOf(id) !== place);
  return twice === undefined ? [] : [{ field: 'options.buttons', problem: `has the id ${twice} twice` }];
}
