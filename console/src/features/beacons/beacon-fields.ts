import type { Beacon, Body, JsonObject, PharosProblem } from '@pharos/sdk';
import { jsonObjectOf } from '../../lib/text/json-text.ts';
import { uuidKey } from '../../lib/text/uuid.ts';
import { t } from '../../lib/words/words.ts';

/** The values of the form; an empty number field holds an empty string. */
export interface BeaconFields {
  readonly name: string;
  readonly uuid: string;
  readonly major: number | string;
  readonly minor: number | string;
  readonly 'location.x': number | string;
  readonly 'location.y': number | string;
  readonly 'location.floor': string;
  readonly measuredPower: number | string;
  readonly sensitivity: string;
  readonly radius: number | string;
  readonly metadata: string;
  readonly venueId: string;
}

export const beaconLabels: Readonly<Record<keyof BeaconFields, string>> = {
  name: t('Name'),
  uuid: 'UUID',
  major: t('Major'),
  minor: t('Minor'),
  'location.x': t('Metres from the left'),
  'location.y': t('Metres from the top'),
  'location.floor': t('Floor'),
  measuredPower: t('Measured power'),
  sensitivity: t('Sensitivity'),
  radius: t('Radius'),
  metadata: t('Metadata'),
  venueId: t('Venue'),
};

export function fieldsOf(beacon?: Beacon): BeaconFields {
  const location = (beacon?.location ?? {}) as Readonly<Record<string, unknown>>;
  return {
    name: beacon?.name ?? '',
    uuid: beacon?.uuid ?? '',
    major: beacon?.major ?? '',
    minor: beacon?.minor ?? '',
    'location.x': (location['x'] as number | undefined) ?? '',
    'location.y': (location['y'] as number | undefined) ?? '',
    'location.floor': location['floor'] === undefined ? '' : String(location['floor']),
    measuredPower: beacon?.measuredPower ?? '',
    sensitivity: beacon?.sensitivity ?? '',
    radius: beacon?.radius ?? '',
    metadata: beacon && Object.keys(beacon.metadata).length > 0 ? JSON.stringify(beacon.metadata, null, 2) : '',
    venueId: beacon?.venueId?.objectId ?? '',
  };
}

type CreateBody = Body<'createBeacon'>;
type Draft = { readonly body: CreateBody } | { readonly problems: readonly PharosProblem[] };

/**
 * The request body for the form. Every member is set, to null where a field is empty, so it works for creating and for
 * updating. Only input that cannot be sent at all is a problem here; the service validates the rest.
 */
export function bodyOf(fields: BeaconFields, known?: Pick<Beacon, 'location'>): Draft {
  const metadata = jsonObjectOf(fields.metadata);
  const location = locationOf(fields, known);
  const problems: PharosProblem[] = [
    ...(metadata === undefined
      ? [{ field: 'metadata', problem: t('must be a JSON object, such as {"hall": 2}') }]
      : []),
    ...(location === undefined
      ? (['location.x', 'location.y'] as const)
          .filter((name) => fields[name] === '')
          .map((field) => ({ field, problem: t('is needed too, or leave the whole place empty') }))
      : []),
  ];
  if (problems.length > 0) return { problems };
  const body = {
    name: fields.name.trim(),
    uuid: fields.uuid.trim(),
    major: fields.major === '' ? undefined : fields.major,
    minor: fields.minor === '' ? undefined : fields.minor,
    location,
    metadata,
    measuredPower: orNull(fields.measuredPower),
    sensitivity: orNull(fields.sensitivity),
    radius: orNull(fields.radius),
    venueId: fields.venueId === '' ? null : { __type: 'Pointer', className: 'Venue', objectId: fields.venueId },
  };
  return { body: body as unknown as CreateBody };
}

const orNull = (value: number | string) => (value === '' ? null : value);

/** Null without a location, undefined for an incomplete one. Other stored members are kept. */
function locationOf(fields: BeaconFields, known?: Pick<Beacon, 'location'>): JsonObject | null | undefined {
  const [x, y, floor] = [fields['location.x'], fields['location.y'], fields['location.floor'].trim()];
  if (x === '' && y === '' && floor === '') return null;
  if (x === '' || y === '') return undefined;
  const { floor: _before, ...others } = (known?.location ?? {}) as Readonly<Record<string, unknown>>;
  return { ...others, x, y, ...(floor === '' ? {} : { floor: floorOf(floor) }) };
}

/** What cannot be sent at all. */
export function problemsOf(fields: BeaconFields): readonly PharosProblem[] {
  const draft = bodyOf(fields);
  return 'problems' in draft ? draft.problems : [];
}

/** The body of fields without problems; an empty one of others. */
export function wholeBody(fields: BeaconFields, known?: Pick<Beacon, 'location'>): object {
  const draft = bodyOf(fields, known);
  return 'body' in draft ? draft.body : {};
}

/** `2` is a number, `ground` a name. */
export function floorOf(text: string): number | string {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

export function sameIds(a: Pick<Beacon, 'uuid' | 'major' | 'minor'>, b: Pick<Beacon, 'uuid' | 'major' | 'minor'>) {
  return uuidKey(a.uuid) === uuidKey(b.uuid) && a.major === b.major && a.minor === b.minor;
}

/** `4.2, 7.5, floor 1` */
export function placeText({ location }: Pick<Beacon, 'location'>): string {
  if (!location) return '';
  const { x, y, ...rest } = location as Readonly<Record<string, unknown>>;
  const floor = rest['floor'];
  const text = floor === undefined || floor === null ? '' : t(', floor {floor}', { floor: String(floor) });
  return `${String(x)}, ${String(y)}${text}`;
}
