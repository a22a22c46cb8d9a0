import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { formats, maxBytes } from '@pharos/gateways';
import { Type } from 'typebox';
import { fail } from '../../../base/errors.ts';
import { type Call, type Endpoint, endpoint, type Tag } from '../../../http/endpoint.ts';
import { type GatewayIntake, type GatewaySender, mayName } from './intake.ts';

export const gatewayTag: Tag = {
  name: 'Gateways',
  description: 'What fixed Bluetooth receivers send, as they send it.',
  place: 105,
  console: { read: 'beacons.read', write: 'beacons.write' },
};

const count = (description: string) => Type.Integer({ minimum: 0, description });

const answerSchema = Type.Object({
  format: Type.Union([Type.Enum([...formats]), Type.Null()], { description: 'Whose message it was; null: unknown' }),
  taken: count('Advertisements that became sightings'),
  beacon: count('Of beacons of the app, which are no tags'),
  unknown: count('Of tags that no installation stands for'),
  merged: count('Of tags that were heard before in the same second'),
  refused: count('Not usable'),
  problems: Type.Array(
    Type.Object({ code: Type.String(), message: Type.String(), count: Type.Integer({ minimum: 1 }) }),
    { description: 'Why; each reason once, with an example' },
  ),
});

const answerExample = {
  format: 'minew' as const,
  ...{ taken: 12, beacon: 2, unknown: 1, merged: 3, refused: 0 },
  problems: [
    {
      code: 'unknown_tag',
      message: 'No installation stands for the tag c3000025ef6a: set metadata.advertisedId of the installation.',
      count: 1,
    },
  ],
};

export const reporting = { of: 'sightings', verb: 'create' } as const;

/** `POST /gateways/{gatewayId}/report`. */
export function reportEndpoint(intake: GatewayIntake): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/gateways/:gatewayId/report',
    operationId: 'reportFromGateway',
    tag: gatewayTag,
    summary: 'Report what a gateway has heard, as it sends it',
    description:
      'The body is a message of ESPresense, OpenMQTTGateway, Theengs, Minew, Kontakt.io, Shelly, ESPHome, Ruuvi, AprilBrother or Ingics, of ' +
      'at most 1 MiB, which may be compressed with gzip. What is heard of tags becomes sightings by the gateway, one a second of each tag. ' +
      'Gateways that cannot send the headers of the app send the AppId and the secret key as user and password (HTTP Basic).',
    grant: 'manager',
    scopes: [reporting],
    parameters: { gatewayId: 'metadata.gatewayId of the beacon where it is installed' },
    takesStream: { description: 'The message, whatever its Content-Type.' },
    answer: {
      status: 200,
      description: 'Taken.',
      schema: Type.Object({ result: answerSchema }),
      example: { result: answerExample },
    },
    errors: ['ObjectTooLarge', 'InvalidJSON', 'OperationForbidden', 'Timeout'],
    locate: ({ params, secretKey }) =>
      assertMaySpeakFor(params['gatewayId'] ?? '', secretKey?.scopes.gateways(reporting)),
    handle: async (call) => {
      const payload = await bodyOf(call);
      const { report, counts, problems } = await intake.receive(senderOf(call), { payload });
      return { result: { format: report.format ?? null, ...counts, problems } };
    },
  });
}

const senderOf = ({ app, params, secretKey, user }: Call<undefined, unknown>): GatewaySender => ({
  appId: app.appId,
  policy: app.policy,
  keyId: secretKey?.keyId ?? user?.userId ?? '',
  gateway: params['gatewayId'],
  gateways: secretKey?.scopes.gateways(reporting),
});

function assertMaySpeakFor(gateway: string, gateways: ReadonlySet<string> | undefined): void {
  if (!mayName({ gateways }, gateway))
    throw fail('OperationForbidden', `The secret key is for other gateways than ${gateway}.`);
}

const inflate = promisify(gunzip);

async function bodyOf({ stream, headers }: Pick<Call<undefined, unknown>, 'stream' | 'headers'>): Promise<Buffer> {
  const body = await allOf(stream);
  if (headers['content-encoding'] !== 'gzip') return body;
  try {
    return await inflate(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw fail('InvalidJSON', { message: 'The body is not what gzip writes.', cause: error });
  }
}

async function allOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += (chunk as Buffer).length;
    if (length > maxBytes) throw tooLarge();
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

const tooLarge = () => fail('ObjectTooLarge', 'The message is larger than 1 MiB.');
