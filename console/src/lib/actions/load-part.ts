import { t } from '../words/words.ts';
/** A lazily loaded part of the console could not be loaded. */
export class PartMissing extends Error {
  /** The service answers, so it has another version of the console now than this tab. */
  readonly isNewVersion: boolean;

  constructor(isNewVersion: boolean, cause: unknown) {
    super(
      isNewVersion
        ? t('Pharos was updated since this tab was opened. Reload it to go on.')
        : t('The service does not answer. Is it running, and are you online?'),
      { cause },
    );
    this.isNewVersion = isNewVersion;
  }
}

/** Loads a part of the console. @throws PartMissing */
export async function loadPart<T>(importer: () => Promise<T>): Promise<T> {
  try {
    return await importer();
  } catch (cause) {
    throw new PartMissing(await isThere(), cause);
  }
}

async function isThere(): Promise<boolean> {
  try {
    return (await fetch('/console/', { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
