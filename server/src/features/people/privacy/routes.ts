import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { fail } from '../../../base/errors.ts';
import { recordAnswer } from '../../../http/answers.ts';
import { type Endpoint, endpoint, type Tag } from '../../../http/endpoint.ts';
import { StreamAnswer } from '../../../http/streams/stream-answer.ts';
import { type Exporting, exportPerson, type Withholding } from './export.ts';
import type { Person } from './person.ts';
import { receiptOf, receiptRecord } from './receipt.ts';
import { findErasure } from './store.ts';

const tag: Tag = {
  name: 'Privacy',
  description: 'What is known of a person, and how it is erased.',
  place: 55,
};

export interface PrivacyRouteDeps extends Exporting {
  /** The user's installations, as far as proven, each with the time since when. */
  readonly findOwn: (appId: string, userId: string) => Promise<Person>;
  readonly withholding: (caller: Caller) => Withholding;
}

export function privacyEndpoints(deps: PrivacyRouteDeps): Endpoint[] {
  return [exportMe(deps), getErasure(deps)];
}

function exportMe(deps: PrivacyRouteDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/users/me/export',
    operationId: 'exportMe',
    tag,
    summary: 'Export everything that is known of the signed-in user',
    description:
      'One JSON document, made while it is sent: `webhooks` says to which hosts something was sent, and each other member has ' +
      "the rows of one table about the account, its installations (since they are the user's), what was recorded and sent, and what " +
      'the user has made. Passwords, tokens and device tokens are not in it, nor what the rules of the app hide from the user in records: ' +
      '`withheld` names the tables of which that may be so, and administrators export all of it.',
    grant: 'user',
    answer: {
      status: 200,
      description: 'The document.',
      type: 'application/json',
      schema: Type.Object(
        {
          format: Type.Literal('pharos-person'),
          version: Type.Integer(),
          exportedAt: Type.String({ format: 'date-time' }),
          withheld: Type.Optional(Type.Array(Type.String())),
        },
        { additionalProperties: true },
      ),
      example: { format: 'pharos-person', version: 1, exportedAt: '2026-05-04T09:30:00.000Z', visits: [] },
    },
    errors: [],
    handle: async (call) => {
      const { app, user } = call;
      if (!user) throw fail('InvalidSessionToken');
      const person = await deps.findOwn(app.appId, user.userId);
      return new StreamAnswer((signal) => until(exportPerson(deps, person, deps.withholding(call)), signal), {
        type: 'application/json',
        headers: { 'content-disposition': `attachment; filename="user-${user.userId}.json"` },
      });
    },
  });
}

async function* until(pieces: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<string> {
  if (signal.aborted) return;
  for await (const piece of pieces) {
    yield piece;
    if (signal.aborted) return;
  }
}

function getErasure({ db }: PrivacyRouteDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/erasures/:objectId',
    operationId: 'getErasure',
    tag,
    summary: 'Get the receipt of an erasure',
    description: 'Whoever knows its id may read it: it names nobody, and the account that asked for it is gone.',
    grant: 'app',
    answer: recordAnswer(receiptRecord.schema, receiptRecord.example),
    errors: ['ObjectNotFound'],
    handle: async ({ app, params }) => {
      const row = await findErasure(db, { appId: app.appId, erasureId: params['objectId'] ?? '' });
      if (!row) throw fail('ObjectNotFound', 'There is no erasure with this objectId.');
      return { result: receiptOf(row) };
    },
  });
}
