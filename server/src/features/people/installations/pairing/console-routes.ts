import { Type } from 'typebox';
import type { AppContext } from '../../../../access/context.ts';
import {
  createdRecordAnswer,
  deletedAnswer,
  isoTime,
  objectIdSchema,
  recordAnswer,
  timestampSchema,
} from '../../../../http/answers.ts';
import {
  type ConsoleCall,
  type ConsoleEndpoint,
  consoleEndpoint,
  signedIn,
} from '../../../../http/console/console-endpoint.ts';
import type { PairingService } from './service.ts';

export interface PairingConsoleDeps {
  readonly service: PairingService;
  /** @throws Failure ObjectNotFound */
  readonly getApp: (appId: string) => Promise<Pick<AppContext, 'policy'>>;
}

const phone = Type.Object({
  objectId: objectIdSchema,
  deviceType: Type.String(),
  deviceModel: Type.Optional(Type.String()),
  appVersion: Type.Optional(Type.String()),
  hasAddress: Type.Boolean({ description: 'A push service can be asked to reach it' }),
  pairedAt: timestampSchema,
});
const ownPhones = Type.Object({
  phones: Type.Array(phone, { description: 'The one that was paired last first' }),
  code: Type.Union([
    Type.Object({
      expiresAt: timestampSchema,
      claimedBy: Type.Union([objectIdSchema, Type.Null()], { description: 'The phone that has used it' }),
    }),
    Type.Null(),
  ]),
});
const newCode = Type.Object({
  code: Type.String({ description: 'To be typed in; shown only here' }),
  text: Type.String({ description: 'For the QR code: what opens the app (policy `pairingUrl`), or the code' }),
  expiresAt: timestampSchema,
});

const all = '/apps/:appId/own-phones';
const ownerOf = ({ params: { appId = '' }, admin }: Pick<ConsoleCall<unknown>, 'params' | 'admin'>) => ({
  appId,
  adminId: signedIn(admin).adminId,
});

/** An administrator's own phones: messages are tested on them, and in an install round they report which beacons are near. */
export function pairingConsoleEndpoints({ service, getApp }: PairingConsoleDeps): readonly ConsoleEndpoint[] {
  const common = {
    permission: 'phones.pair',
    // They are about the caller alone.
    narrows: 'venues',
  } as const;
  return [
    consoleEndpoint({
      ...common,
      method: 'GET',
      path: all,
      operationId: 'listOwnPhones',
      summary: 'List one’s own phones, and whether a code waits for another',
      answer: recordAnswer(ownPhones),
      async handle(call) {
        const { phones, code } = await service.read(ownerOf(call));
        return { result: { phones: phones.map(shown), code: code && { ...code, expiresAt: isoTime(code.expiresAt) } } };
      },
    }),
    consoleEndpoint({
      ...common,
      method: 'POST',
      path: `${all}/code`,
      operationId: 'createPairingCode',
      summary: 'Make a code that pairs a phone with oneself',
      description: 'It is good once and for five minutes, and takes the place of the one before.',
      answer: createdRecordAnswer(newCode),
      async handle(call) {
        const owner = ownerOf(call);
        const { policy } = await getApp(owner.appId);
        const { name, email } = signedIn(call.admin);
        const { code, expiresAt } = await service.makeCode({ ...owner, name: name || email }, call.by);
        return { result: { code, text: textOf(code, policy.pairingUrl), expiresAt: isoTime(expiresAt) } };
      },
    }),
    consoleEndpoint({
      ...common,
      method: 'DELETE',
      path: `${all}/code`,
      operationId: 'deletePairingCode',
      summary: 'Make the code that waits worthless',
      answer: deletedAnswer,
      handle: (call) => service.endCode(ownerOf(call)),
    }),
    consoleEndpoint({
      ...common,
      method: 'DELETE',
      path: `${all}/phones/:installationId`,
      operationId: 'unpairPhone',
      summary: 'Say that a phone is no longer one’s own',
      answer: deletedAnswer,
      handle: (call) => service.unpair(ownerOf(call), call.params['installationId'] ?? '', call.by),
    }),
  ];
}

function textOf(code: string, pairingUrl: string): string {
  if (!URL.canParse(pairingUrl)) return code;
  const url = new URL(pairingUrl);
  url.searchParams.set('code', code);
  return url.href;
}

type Row = Awaited<ReturnType<PairingService['read']>>['phones'][number];

const shown = ({ object_id, device_type, device_model, app_version, has_address, paired_at }: Row) => ({
  objectId: object_id,
  deviceType: device_type,
  ...(device_model === null ? {} : { deviceModel: device_model }),
  ...(app_version === null ? {} : { appVersion: app_version }),
  hasAddress: has_address !== 0,
  pairedAt: isoTime(paired_at),
});
