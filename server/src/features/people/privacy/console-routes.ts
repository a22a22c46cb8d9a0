import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { recordChange } from '../../../access/audit.ts';
import { fail } from '../../../base/errors.ts';
import { recordAnswer } from '../../../http/answers.ts';
import {
  type ConsoleCall,
  type ConsoleEndpoint,
  consoleEndpoint,
  FileDownload,
} from '../../../http/console/console-endpoint.ts';
import { type Exporting, exportPerson } from './export.ts';
import type { Person } from './person.ts';
import { receiptOf, receiptRecord } from './receipt.ts';
import { listErasures } from './store.ts';

export interface PrivacyConsoleDeps extends Exporting {
  readonly findUser: (appId: string, userId: string) => Promise<Person | undefined>;
  readonly findInstallation: (appId: string, objectId: string) => Promise<Person | undefined>;
}

const maxReceipts = 500;

/** Exports of persons and receipts of erasures, for administrators. */
export function privacyConsoleEndpoints(deps: PrivacyConsoleDeps): readonly ConsoleEndpoint[] {
  return [exportUser(deps), exportInstallation(deps), receipts(deps)];
}

const document = {
  status: 200,
  description: 'The document.',
  schema: Type.String({ description: 'JSON' }),
  example: '{"format":"pharos-person","version":1}',
} as const;

type Params = Readonly<Record<string, string>>;

function exportUser(deps: PrivacyConsoleDeps): ConsoleEndpoint {
  const find = async ({ appId = '', userId = '' }: Params) => {
    const person = await deps.findUser(appId, userId);
    if (!person) throw fail('ObjectNotFound', 'There is no user with this objectId.');
    return person;
  };
  return consoleEndpoint({
    method: 'GET',
    path: '/apps/:appId/users/:userId/export',
    operationId: 'exportAppUser',
    summary: 'Export everything that is known of a user, as one JSON document',
    permission: 'users.change',
    needsConfirmation: true,
    locate: find,
    answer: document,
    handle: async (call) => download(deps, call, await find(call.params), `user-${call.params['userId']}`),
  });
}

function exportInstallation(deps: PrivacyConsoleDeps): ConsoleEndpoint {
  const find = async ({ appId = '', installationId = '' }: Params) => {
    const person = await deps.findInstallation(appId, installationId);
    if (!person) throw fail('ObjectNotFound', 'There is no installation with this objectId.');
    return person;
  };
  return consoleEndpoint({
    method: 'GET',
    path: '/apps/:appId/installations/:installationId/export',
    operationId: 'exportInstallation',
    summary: 'Export everything that is known of an installation, as one JSON document',
    permission: 'installations.personal',
    needsConfirmation: true,
    locate: find,
    answer: document,
    handle: async (call) =>
      download(deps, call, await find(call.params), `installation-${call.params['installationId']}`),
  });
}

async function download(
  deps: PrivacyConsoleDeps,
  { by, now }: ConsoleCall<unknown>,
  person: Person,
  name: string,
): Promise<FileDownload> {
  const { appId, userId, installationIds } = person;
  const subject = userId ?? installationIds[0] ?? '';
  await recordChange(deps.db, { by, action: 'person.export', subject, appId, now });
  return new FileDownload(`${name}.json`, 'application/json', Readable.from(exportPerson(deps, person)));
}

function receipts({ db }: PrivacyConsoleDeps): ConsoleEndpoint {
  return consoleEndpoint({
    method: 'GET',
    path: '/apps/:appId/erasures',
    operationId: 'listErasures',
    summary: 'List the receipts of erasures, newest first',
    description: `The last ${maxReceipts}.`,
    permission: 'installations.personal',
    answer: recordAnswer(Type.Array(receiptRecord.schema)),
    async handle({ params: { appId = '' } }) {
      return { result: (await listErasures(db, appId, maxReceipts)).map(receiptOf) };
    },
  });
}
