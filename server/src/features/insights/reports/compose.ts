import type { MailWords } from '../../../mail/words/mail-words.ts';
import type { ReportDocument } from './content/blocks.ts';
import { documentOf } from './content/document.ts';
import { type Ask, type Figures, type ReportSubject, readFigures } from './content/figures.ts';
import type { ReportPeriod } from './content/periods.ts';
import { ReportWords } from './content/words.ts';
import type { Sight } from './people.ts';
import type { ReportRow } from './store.ts';

export interface ComposeDeps {
  /** Asks the endpoints of an app's figures as somebody who is limited to some venues, or to none. */
  readonly askAs: (appId: string, venues: readonly string[] | undefined) => Promise<Ask>;
  /** Undefined where the app or the venue is gone. */
  readonly findSubject: (appId: string, venueId: string | null) => Promise<ReportSubject | undefined>;
  /** Without a slash at the end. */
  readonly publicUrl: () => string;
}

export interface Composed {
  readonly document: ReportDocument;
  readonly figures: Figures;
}

/** A report for somebody with this sight. Undefined where what it is about is gone. @throws Failure as the endpoints do */
export async function compose(
  { askAs, findSubject, publicUrl }: ComposeDeps,
  { app_id: appId, venue_id: venueId, every }: Pick<ReportRow, 'app_id' | 'venue_id' | 'every'>,
  period: ReportPeriod,
  { venues }: Sight,
  words: MailWords,
): Promise<Composed | undefined> {
  const subject = await findSubject(appId, venueId);
  if (!subject) return undefined;
  const figures = await readFigures(await askAs(appId, venues), subject, every, period);
  return { figures, document: documentOf(figures, consoleUrl(publicUrl(), appId), new ReportWords(words)) };
}

export const consoleUrl = (publicUrl: string, appId: string): string => `${publicUrl}/console/apps/${appId}`;
