import { bigint, defineTable, nullable, text } from '../db/table.ts';

export const jobs = defineTable({
  name: 'jobs',
  owner: 'jobs',
  columns: {
    app_id: text,
    job_id: text,
    kind: text,
    payload: text,
    state: text,
    run_at: bigint,
    expires_at: nullable(bigint),
    attempts: bigint,
    lease_token: nullable(text),
    last_error: nullable(text),
    created_at: bigint,
    subject: nullable(text),
    /** `traceparent` of what has caused it. */
    trace: nullable(text),
  },
  key: ['app_id', 'job_id'],
  indexes: {
    jobs_due: { on: ['kind', 'app_id', 'run_at'], isPartial: true },
    jobs_next: { on: ['run_at'], isPartial: true },
    jobs_dead: { on: ['run_at'], isPartial: true },
    jobs_subject: { on: ['app_id', 'kind', 'subject'], isPartial: true },
    jobs_expiry: { on: ['expires_at'], isPartial: true },
  },
  // A job that erases must know whom.
  mentions: { in: ['payload', 'subject'], erased: 'delete', only: "kind not like '%.erase'" },
});
