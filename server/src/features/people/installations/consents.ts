import {
  type Consent,
  type Consents,
  type Purpose,
  permissionsOf,
  purposes,
  readConsents,
} from '../../../access/consent.ts';
import type { AppPolicy } from '../../../access/policy.ts';
import { newObjectId } from '../../../base/id.ts';
import { sql } from '../../../base/sql.ts';
import { bulkInsert } from '../../../db/bulk.ts';
import type { Db } from '../../../db/db.ts';
import type { RowOf } from '../../../db/table.ts';
import { isoTime } from '../../../http/answers.ts';
import type { SentConsents } from './resource.ts';
import { consentsTable } from './tables.ts';

/** Decisions of visitors: what a request changes about them, and their history. */

export type DecidedBy = 'phone' | 'user' | 'manager' | 'handover';

export interface ConsentChange {
  /** As it is stored; null: nothing is decided. */
  readonly stored: string | null;
  readonly changed: readonly Decided[];
}

interface Decided {
  readonly purpose: Purpose;
  readonly granted: boolean;
  readonly textVersion: string | undefined;
  readonly decidedBy: DecidedBy;
}

interface Deciding {
  /** Null clears all; a purpose that is not named stays as it is. */
  readonly sent: SentConsents | null | undefined;
  readonly now: number;
  readonly by: DecidedBy;
  /** Somebody else holds it now, for whom the decisions so far do not count. */
  readonly isHandedOver?: boolean;
  /** The holder has not proven to be the same person, now or before: what was refused stays refused. */
  readonly isDoubtful?: boolean;
  /** The holder has proven nothing: whoever knows an id must not be able to agree in the name of its phone. */
  readonly isUnproven?: boolean;
}

/** Only consent to the identity: it concerns the signed-in user, not the phone as it was before. */
const mayAgreeUnproven = (purpose: Purpose, earlier: Consent | undefined) => purpose === 'identity' && !earlier;

const refusalsOf = (consents: Consents): Consents =>
  Object.fromEntries(Object.entries(consents).filter(([, { granted }]) => !granted));

/** Decisions that are sent again unchanged have no effect: clients register at every start. */
export function decideConsents(stored: string | null, deciding: Deciding): ConsentChange {
  const { sent, now, by, isHandedOver, isDoubtful, isUnproven } = deciding;
  const before = readConsents(stored);
  const isAnew = isHandedOver || sent === null;
  const staysRefused = isUnproven || (isHandedOver && isDoubtful);
  const kept: Consents = isAnew ? (staysRefused ? refusalsOf(before) : {}) : before;
  const at = isoTime(now);
  const changed: Decided[] = [];
  const after: Record<string, unknown> = {};
  for (const purpose of purposes) {
    const earlier = kept[purpose];
    const asked = sent?.[purpose];
    const decision = asked?.granted && isUnproven && !mayAgreeUnproven(purpose, earlier) ? undefined : asked;
    const isSame = decision?.granted === earlier?.granted && decision?.textVersion === earlier?.textVersion;
    if (decision === undefined || (isSame && earlier)) {
      if (earlier) after[purpose] = earlier;
      else if (before[purpose]?.granted)
        changed.push({ purpose, granted: false, textVersion: undefined, decidedBy: isHandedOver ? 'handover' : by });
      continue;
    }
    const { granted, textVersion } = decision;
    after[purpose] = { granted, ...(textVersion === undefined ? {} : { textVersion }), at };
    changed.push({ purpose, granted, textVersion, decidedBy: by });
  }
  return { stored: Object.keys(after).length === 0 ? null : JSON.stringify(after), changed };
}

const newDecisions = bulkInsert(consentsTable);

/** Notes decisions in the transaction that writes the installation. */
export async function noteDecisions(
  db: Db,
  key: { readonly appId: string; readonly installationId: string; readonly now: number },
  changed: readonly Decided[],
): Promise<void> {
  const rows = changed.map(({ purpose, granted, textVersion, decidedBy }) => ({
    app_id: key.appId,
    object_id: newObjectId(key.now),
    installation_id: key.installationId,
    purpose,
    granted: granted ? 1 : 0,
    text_version: textVersion ?? null,
    decided_by: decidedBy,
    created_at: key.now,
  }));
  await newDecisions.run(db, rows);
}

export type ConsentPolicy = Pick<AppPolicy, 'consent'>;

/** Whether a change gives or takes away the permission to record the installation by name. */
export const changesAnalytics = (before: string | null, after: string | null, policy: ConsentPolicy): boolean =>
  permissionsOf(before, policy).analytics !== permissionsOf(after, policy).analytics;

/** Newest first, at most a thousand. */
export async function listDecisions(db: Db, appId: string, installationId: string) {
  const rows = await db.all<RowOf<typeof consentsTable>>(
    sql`select * from consents where app_id = ${appId} and installation_id = ${installationId}
      order by object_id desc limit 1000`,
  );
  return rows.map(({ purpose, granted, text_version, decided_by: decidedBy, created_at: at }) => ({
    purpose,
    granted: granted !== 0,
    ...(text_version === null ? {} : { textVersion: text_version }),
    decidedBy,
    at,
  }));
}
