import type { Body, Storyline } from '@pharos/sdk';
import { dataOf } from '../../lib/data/api.ts';
import { isSignedOut, withSession } from '../../lib/data/signing-in.ts';
import { copyName } from '../../lib/text/copy-name.ts';

const pageSize = 100;

/** Copies a storyline with its scenarios. The copy is off, so that visitors do not get the same twice. Answers what was made. */
export async function copyStoryline(
  appId: string,
  { objectId: from, title }: Storyline,
): Promise<{ readonly objectId: string; readonly title: string }> {
  const { storylines } = dataOf(appId);
  const body = { title: copyName(title), isEnabled: false };
  const { objectId } = await storylines.create(body);
  try {
    for (let skip = 0; ; skip += pageSize) {
      const page = { order: 'createdAt', skip, limit: pageSize } as const;
      const { results } = await withSession(() => storylines.listDetails(from, page));
      for (const { objectId: _id, createdAt: _made, updatedAt: _changed, createdBy: _by, ...members } of results)
        await withSession(() => storylines.createDetail(objectId, members as Body<'createStorylineDetail'>));
      if (results.length < pageSize) return { objectId, title: body.title };
    }
  } catch (error) {
    // Half a copy would be worse than none; without a session it cannot be deleted either.
    if (!isSignedOut(error)) await storylines.delete(objectId);
    throw error;
  }
}
