import { personOfPage } from '../data/whose-page.ts';
import { store, stored } from './storage.ts';

/** A chosen file that survives a reload, as long as the tab is open. */
export interface KeptFile {
  readonly name: string;
  readonly text: string;
  /** How its bytes were read, such as `UTF-8`. */
  readonly readAs?: string | undefined;
  /** Which column to read where several have the same heading. */
  readonly chosen?: Readonly<Record<string, number>> | undefined;
  /** Where the columns are found that the file lacks, by name. */
  readonly given?: Given | undefined;
}

/** In place of columns that a file lacks: another column by its place, or one value for all rows. */
export type Given = Readonly<Record<string, { readonly column: number } | { readonly value: string }>>;

/** Of a file that is too long to be kept, only the name remains. */
export type KeptOrName = KeptFile | { readonly name: string; readonly text?: undefined };

/** The owner of a kept file: another person who uses the tab does not get it. Files kept by earlier versions have no owner. */
interface Owned {
  readonly person?: string | undefined;
}

/** The storage of a tab holds about 5 million characters. */
const longest = 2_000_000;

/** Keeps the file, or only its name if it is too long and has to be chosen again. */
export function keepFile(key: string, file: KeptFile): void {
  forgetFile(key);
  if (file.text.length <= longest && keep(key, file)) return;
  keep(key, { name: file.name });
}

const keep = (key: string, kept: KeptOrName) =>
  store(key, JSON.stringify({ ...kept, person: personOfPage() }), 'sessionStorage');

export function keptFile(key: string): KeptOrName | undefined {
  try {
    const { person, ...kept } = JSON.parse(stored(key, 'sessionStorage') ?? '{}') as KeptOrName & Owned;
    return kept.name === undefined || (person ?? personOfPage()) !== personOfPage() ? undefined : kept;
  } catch {
    return undefined;
  }
}

export const forgetFile = (key: string) => store(key, null, 'sessionStorage');
