import { isObject } from '@pharos/query';
import { Type } from 'typebox';
import { fail } from '../../../base/errors.ts';
import { createdRecordAnswer, deletedAnswer, recordAnswer, timestampSchema } from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../../http/console/console-endpoint.ts';
import type { DeviceCredentials } from './credentials.ts';

const members = {
  username: Type.String({ description: "The app's id, a slash, the device's id" }),
  topic: Type.String({ description: 'The only topic that the device may subscribe to' }),
};
const shownSchema = Type.Object({ ...members, issuedAt: Type.Union([timestampSchema, Type.Null()]) });

function readIssuedAt(body: unknown): string | null {
  const issuedAt = isObject(body) ? body['issuedAt'] : undefined;
  if (issuedAt === null || typeof issuedAt === 'string') return issuedAt;
  const details = [{ field: 'issuedAt', problem: 'must be a time, or null' }];
  throw fail('ValidationError', { message: 'issuedAt must be a time, or null.', details });
}

export function deviceConsoleEndpoints(credentials: DeviceCredentials): readonly ConsoleEndpoint[] {
  const path = '/apps/:appId/devices/:deviceId/credentials';
  const locate = ({ appId = '', deviceId = '' }: Readonly<Record<string, string>>) => credentials.get(appId, deviceId);
  return [
    consoleEndpoint({
      method: 'GET',
      path,
      operationId: 'getDeviceCredentials',
      summary: 'Whether a device has credentials for MQTT',
      permission: 'devices.read',
      locate,
      answer: recordAnswer(shownSchema),
      handle: async ({ params: { appId = '', deviceId = '' } }) => ({ result: await credentials.get(appId, deviceId) }),
    }),
    consoleEndpoint({
      method: 'POST',
      path,
      operationId: 'issueDeviceCredentials',
      summary: 'Give a device a new password, shown once; a connection with the old one is closed at once',
      permission: 'devices.write',
      locate,
      answer: createdRecordAnswer(
        Type.Object({
          ...members,
          password: Type.String({ description: 'Shown only here' }),
          issuedAt: timestampSchema,
        }),
      ),
      handle: async ({ params: { appId = '', deviceId = '' }, by }) => ({
        result: await credentials.issue(appId, deviceId, by),
      }),
    }),
    consoleEndpoint({
      method: 'DELETE',
      path,
      operationId: 'revokeDeviceCredentials',
      summary: "Revoke a device's credentials and disconnect it at once",
      permission: 'devices.write',
      locate,
      answer: deletedAnswer,
      handle: ({ params: { appId = '', deviceId = '' }, by }) => credentials.revoke(appId, deviceId, by),
    }),
    consoleEndpoint<string | null>({
      method: 'POST',
      path: `${path}/restore`,
      operationId: 'restoreDeviceCredentials',
      summary: 'Bring credentials back that were revoked or replaced within the last hour',
      permission: 'devices.write',
      locate,
      body: {
        schema: Type.Object({
          issuedAt: Type.Union([timestampSchema, Type.Null()], {
            description: 'Of the credentials that are there now; null when there are none',
          }),
        }),
        example: { issuedAt: null },
        read: readIssuedAt,
      },
      answer: recordAnswer(shownSchema),
      handle: async ({ params: { appId = '', deviceId = '' }, body: issuedAt, by }) => ({
        result: await credentials.restore(appId, deviceId, { issuedAt, by }),
      }),
    }),
  ];
}
