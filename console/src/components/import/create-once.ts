import { type Body, PharosError, wasRepeated } from '@pharos/sdk';
import { printOf } from '../../lib/actions/drafts.ts';
import { dataOf } from '../../lib/data/api.ts';
import { uuidKey } from '../../lib/text/uuid.ts';
import { t } from '../../lib/words/words.ts';
import { holds } from './as-previewed.ts';

interface Creating {
  readonly create: (options: { readonly idempotencyKey: string }) => Promise<{ readonly objectId: string }>;
  readonly read: (objectId: string) => Promise<unknown>;
}

/**
 * Creates what a row of a file adds, once even if somebody else takes in the same file at the same moment: whoever adds the same sends the same
 * key, and the service shares keys of imports among the administrators of an app. What was deleted since is created again.
 *
 * `content` says what is to be there, of two that are the same also which of them.
 *
 * @throws PharosError
 */
export async function createOnce(content: object, { create, read }: Creating): Promise<string> {
  for (let before = ''; ; ) {
    const { objectId, isNew } = await tried(create, `import:${printOf([content, before])}`);
    if (isNew || (await isThere(() => read(objectId)))) return objectId;
    before = objectId;
  }
}

async function tried(create: Creating['create'], idempotencyKey: string) {
  const made = await create({ idempotencyKey });
  return { objectId: made.objectId, isNew: !wasRepeated(made) };
}

async function isThere(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (error instanceof PharosError && error.status === 404) return false;
    throw error;
  }
}

/** Beacons with one major and minor, of different UUIDs. */
const maxAlike = 100;

/** A beacon, unless it is there already: two people may have planned the same file. @throws Error whose message is a sentence, PharosError */
export async function createBeaconOnce(appId: string, body: Body<'createBeacon'>): Promise<void> {
  const { beacons } = dataOf(appId);
  const { uuid, major, minor } = body;
  const { results } = await beacons.list({ where: { major, minor }, limit: maxAlike });
  const alike = results.find((one) => uuidKey(one.uuid) === uuidKey(uuid));
  if (!alike) await createOnce(body, { create: (again) => beacons.create(body, again), read: (id) => beacons.get(id) });
  else if (!holds(alike, { ...body, uuid: alike.uuid }))
    throw new Error(
      t(
        'Somebody else has added a beacon with this UUID, major and minor since the file was read. Choose the file again.',
      ),
    );
}
