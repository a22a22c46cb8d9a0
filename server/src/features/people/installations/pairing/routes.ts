import { Type } from 'typebox';
import type { Db } from '../../../../db/db.ts';
import { exampleUpdated, isoTime, recordAnswer, timestampSchema } from '../../../../http/answers.ts';
import { type Endpoint, endpoint } from '../../../../http/endpoint.ts';
import { defineShape } from '../../../../http/shape.ts';
import { installations } from '../resource.ts';
import { findProvable } from '../store.ts';
import { noSuchPhone, type PairingService } from './service.ts';

const shape = defineShape(
  Type.Object({
    code: Type.String({
      minLength: 1,
      maxLength: 2000,
      description:
        'What the console shows: the text of the QR code as it was scanned, the link that it opened, or the letters below it',
    }),
  }),
);

/** Of what was scanned or typed: `museum://pair?code=ABCD2345`, `abcd-2345`. */
function codeIn(text: string): string {
  const code = URL.canParse(text) ? (new URL(text).searchParams.get('code') ?? '') : text;
  return code.replace(/[\s-]/g, '').toUpperCase();
}

/** The endpoint with which an app pairs its own phone. */
export function pairingEndpoints({ db, service }: { readonly db: Db; readonly service: PairingService }): Endpoint[] {
  return [
    endpoint<{ code: string }>({
      method: 'POST',
      path: `${installations.path}/:objectId/pairing`,
      operationId: 'pairInstallation',
      tag: installations.tag,
      summary: 'Make the phone one on which an administrator tests messages',
      description:
        'An editor has the console show a code, which the app scans, is opened with, or has typed in. The phone proves itself ' +
        'with its `Installation-Secret`; nothing else will do. A code is good once and for five minutes; the same phone may ' +
        'send it again.',
      grant: 'app',
      takesInstallationSecret: true,
      body: shape.body({ code: 'ABCD-2345' }),
      answer: recordAnswer(
        Type.Object({
          pairedWith: Type.String({ description: 'The name of the administrator, to be shown on the phone' }),
          pairedAt: timestampSchema,
        }),
        { pairedWith: 'Ada Lovelace', pairedAt: exampleUpdated },
      ),
      errors: ['ValidationError', 'ObjectNotFound', 'DuplicateValue', 'APICallLimit'],
      locate: async ({ app, params: { objectId = '' } }) => {
        if ((await findProvable(db, app.appId, objectId)) === undefined) throw noSuchPhone();
      },
      handle: async ({ app, params: { objectId = '' }, headers, body, address }) => {
        const sent = headers['installation-secret'];
        const { pairedWith, pairedAt } = await service.claim({
          appId: app.appId,
          installationId: objectId,
          secret: typeof sent === 'string' ? sent : undefined,
          code: codeIn(body.code),
          address,
        });
        return { result: { pairedWith, pairedAt: isoTime(pairedAt) } };
      },
    }),
  ];
}
