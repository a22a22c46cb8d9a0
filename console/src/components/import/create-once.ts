import { PharosError, wasRepeated } from '@pharos/sdk';
import { printOf } from '../../lib/actions/drafts.ts';

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
