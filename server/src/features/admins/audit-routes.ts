import { Type } from 'typebox';
import { type AuditRow, listChanges } from '../../audit.ts';
import type { Database } from '../../db/db.ts';
import { exampleId } from '../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../http/console-endpoint.ts';
import { pageLimitParameter, readPageLimit } from '../../http/console-page.ts';
import { auditExample, auditSchema } from './schemas.ts';

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

/** Every change that was made in the console or on the command line. */
export function auditEndpoints(db: Database): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/audit',
      operationId: 'listAudit',
      tag: 'Audit',
      summary: 'List changes, newest first',
      permission: 'audit.read',
      query: [
        { name: 'appId', description: 'Only changes to this app', schema: Type.String() },
        { name: 'before', description: 'Only changes older than the one with this auditId', schema: Type.String() },
        pageLimitParameter,
      ],
      answer: {
        status: 200,
        description: 'One page; `next` is there when more may follow, and is the `before` of the next page.',
        schema: Type.Object({ results: Type.Array(auditSchema), next: Type.Optional(Type.String()) }),
        example: { results: [auditExample], next: exampleId },
      },
      errors: ['InvalidQuery'],
      async handle({ query }) {
        const limit = readPageLimit(query['limit']);
        const rows = await listChanges(db, { appId: query['appId'], before: query['before'], limit });
        const last = rows.at(-1);
        return { results: rows.map(view), ...(rows.length === limit && last ? { next: last.audit_id } : {}) };
      },
    }),
  ];
}
