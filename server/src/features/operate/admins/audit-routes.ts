import { Type } from 'typebox';
import { type AuditRow, listChanges } from '../../../access/audit.ts';
import { appsWith } from '../../../access/reach.ts';
import { fail } from '../../../base/errors.ts';
import type { Database } from '../../../db/db.ts';
import { type ConsoleEndpoint, consoleEndpoint, signedIn } from '../../../http/console/console-endpoint.ts';
import { pageLimitParameter, readPageLimit } from '../../../http/console/console-page.ts';
import { auditSchema } from './schemas.ts';

const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

function view(row: AuditRow) {
  return {
    auditId: row.audit_id,
    appId: row.app_id,
    actor: row.actor,
    action: row.action,
    subject: row.subject,
    before: parsed(row.before_state),
    after: parsed(row.after_state),
    address: row.address,
    createdAt: new Date(row.created_at).toISOString(),
  };
}

/** @throws Failure InvalidQuery */
function readTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw fail('InvalidQuery', `${name} must be a time such as 2026-05-04T09:30:00Z.`);
}

/** Every change made in the console or on the command line. */
export function auditEndpoints(db: Database): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/audit',
      operationId: 'listAudit',
      summary: 'List changes, newest first',
      permission: 'audit.read',
      narrows: 'apps',
      query: [
        { name: 'appId', description: 'Only changes to this app', schema: Type.String() },
        { name: 'actor', description: 'Only changes by this administrator, by e-mail', schema: Type.String() },
        {
          name: 'kind',
          description: 'Only changes of this kind: the part of the action before the dot, such as app or data',
          schema: Type.String(),
        },
        {
          name: 'about',
          description: 'Only changes of what has this id, such as a user: alone, or together with others',
          schema: Type.String(),
        },
        { name: 'from', description: 'Only changes since this time (ISO 8601)', schema: Type.String() },
        { name: 'until', description: 'Only changes before this time (ISO 8601)', schema: Type.String() },
        { name: 'before', description: 'Only changes older than the one with this auditId', schema: Type.String() },
        pageLimitParameter,
      ],
      answer: {
        status: 200,
        description:
          'One page, with fewer than `limit` changes where they are long; `next` is present if more may follow, and is the `before` of the next page.',
        schema: Type.Object({ results: Type.Array(auditSchema), next: Type.Optional(Type.String()) }),
      },
      async handle({ query, admin }) {
        const limit = readPageLimit(query['limit']);
        const { rows, isFull } = await listChanges(db, {
          appId: query['appId'],
          within: appsWith(signedIn(admin), 'audit.read'),
          actor: query['actor'],
          kind: query['kind'],
          about: query['about'],
          from: readTime('from', query['from']),
          until: readTime('until', query['until']),
          before: query['before'],
          limit,
        });
        const last = rows.at(-1);
        return { results: rows.map(view), ...(isFull && last ? { next: last.audit_id } : {}) };
      },
    }),
  ];
}
