import { isTimeZone } from '@pharos/engine';
import { Type } from 'typebox';
import { fail, problemUnless } from '../../../base/errors.ts';
import { type ConsoleAnswer, recordAnswer, timestampSchema } from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../../http/console/console-endpoint.ts';
import { defineShape } from '../../../http/shape.ts';
import { entityTag } from '../../../resources/entity-tag.ts';
import { type BackupPlan, noPlan } from './plan.ts';
import type { BackupRestores } from './restores.ts';
import type { BackupSchedule } from './schedule.ts';

const planMembers = {
  isOn: Type.Boolean(),
  everyDays: Type.Integer({ minimum: 1, maximum: 30, description: '1: every day' }),
  time: Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', description: 'Such as 03:30, in the time zone' }),
  timeZone: Type.String({ minLength: 1, maxLength: 64, description: 'IANA name' }),
  kept: Type.Integer({ minimum: 1, maximum: 60, description: 'The newest ones; older ones are deleted' }),
  drill: Type.Boolean({ description: 'Whether each new one is restored for trial' }),
};
const planSchema = Type.Object(planMembers);
const shape = defineShape(planSchema, {
  rules: ({ timeZone }) =>
    problemUnless('timeZone', timeZone, isTimeZone, 'must be an IANA time zone, such as Europe/Berlin'),
});

const outcome = Type.Object({
  backupId: Type.String(),
  at: timestampSchema,
  ok: Type.Boolean(),
  message: Type.String(),
});
const orNull = <T>(schema: T) => Type.Union([schema as typeof outcome, Type.Null()]);
const prepared = Type.Object({ backupId: Type.String(), askedAt: timestampSchema, askedBy: Type.String() });
const restored = Type.Object({
  backupId: Type.String(),
  at: timestampSchema,
  ok: Type.Boolean(),
  message: Type.String(),
  aside: Type.Union([Type.String(), Type.Null()], { description: 'The folder with what was there before' }),
  askedBy: Type.Union([Type.String(), Type.Null()]),
  madeAt: Type.Union([timestampSchema, Type.Null()], { description: 'When the backup was made' }),
  rows: Type.Union([Type.Integer(), Type.Null()]),
  files: Type.Union([Type.Integer(), Type.Null()]),
});
const planAnswer = Type.Object({
  plan: planSchema,
  isEmbedded: Type.Boolean({ description: 'Whether the database is part of the service; only then it can restore' }),
  canRestart: Type.Boolean({ description: 'Whether the service can start itself again' }),
  folder: Type.String({ description: 'Where backups are written' }),
  last: orNull(outcome),
  drill: orNull(outcome),
  isTrying: Type.Boolean({ description: 'A backup is being restored for trial' }),
  name: Type.String({ description: 'Has to be typed before a restore' }),
  prepared: orNull(prepared as never),
  restored: orNull(restored as never),
});
const planTag = (plan: BackupPlan) => entityTag(JSON.stringify(plan));

interface Deps {
  readonly schedule: BackupSchedule;
  readonly restores: BackupRestores;
  readonly folder: string;
}

/** Backups by a plan, the trial of one, and going back to one. */
export function planEndpoints({ schedule, restores, folder }: Deps): readonly ConsoleEndpoint[] {
  const common = { permission: 'backups.manage' } as const;
  const answer = recordAnswer(planAnswer);
  const id = (params: Readonly<Record<string, string>>) => params['backupId'] ?? '';
  async function read(origin: string) {
    const { plan, state, isTrying } = await schedule.read();
    const shown = { plan, folder, last: state.last ?? null, drill: state.drill ?? null, isTrying };
    return { result: { ...shown, ...(await restores.read()), name: new URL(origin).hostname } };
  }
  return [
    consoleEndpoint({
      ...common,
      method: 'GET',
      path: '/system/backup-plan',
      operationId: 'getBackupPlan',
      summary: 'When backups are made, and how the last ones went',
      answer,
      handle: ({ origin }) => read(origin),
      tagOf: ({ result }) => planTag(result.plan),
    }),
    consoleEndpoint({
      ...common,
      method: 'PUT',
      path: '/system/backup-plan',
      operationId: 'changeBackupPlan',
      summary: 'Say when backups are made and how many are kept',
      description: 'Members that are not sent stay as they are.',
      body: {
        schema: Type.Partial(planSchema),
        example: { ...noPlan, isOn: true },
        read: (body) => shape.readUpdate(body).set,
      },
      answer,
      takesIfMatch: true,
      async handle({ body, by, origin, assertUnchanged }) {
        await schedule.change(body, { by, assertUnchanged: (plan) => assertUnchanged?.(planTag(plan)) });
        return read(origin);
      },
      tagOf: ({ result }) => planTag(result.plan),
    }),
    consoleEndpoint({
      ...common,
      method: 'POST',
      path: '/system/backups/:backupId/drill',
      operationId: 'tryBackup',
      summary: 'Restore a backup for trial',
      description: 'Into a folder that is removed afterwards. The answer comes at once; the outcome is in the plan.',
      answer,
      async handle({ params, by, origin }) {
        await schedule.startDrill(id(params), by);
        return read(origin);
      },
    }),
    ...restoreEndpoints({ restores, read, answer, common, id }),
  ];
}

interface Shared {
  readonly restores: BackupRestores;
  readonly read: (origin: string) => Promise<object>;
  readonly answer: ConsoleAnswer;
  readonly common: { readonly permission: 'backups.manage' };
  readonly id: (params: Readonly<Record<string, string>>) => string;
}

function restoreEndpoints({ restores, read, answer, common, id }: Shared): readonly ConsoleEndpoint[] {
  const nameShape = defineShape(Type.Object({ name: Type.String({ maxLength: 300 }) }));
  const startShape = defineShape(
    Type.Object({
      backupId: Type.String({ maxLength: 64, description: 'The one that is prepared, as the caller has seen it' }),
    }),
  );
  return [
    consoleEndpoint({
      ...common,
      method: 'POST',
      path: '/system/backups/:backupId/restore',
      operationId: 'prepareRestore',
      summary: 'Go back to a backup at the next start',
      description:
        'Nothing changes until the service is started again, by `startRestore` or where it runs. It then verifies the backup, restores it and keeps what was there before in a folder of its own.',
      needsConfirmation: true,
      body: nameShape.body({ name: 'pharos.example.org' }),
      answer,
      async handle({ params, body: { name }, by, origin }) {
        const { hostname } = new URL(origin);
        if (name.trim().toLowerCase() !== hostname.toLowerCase())
          throw fail('ValidationError', {
            message: `Type ${hostname} to go on.`,
            details: [{ field: 'name', problem: `must be ${hostname}` }],
          });
        await restores.prepare(id(params), by);
        return read(origin);
      },
    }),
    consoleEndpoint({
      ...common,
      method: 'POST',
      path: '/system/restore/start',
      operationId: 'startRestore',
      summary: 'Start the service again, and go back to the backup that is prepared',
      description:
        'Accepted requests are finished first. While it restores, the service does not answer; afterwards the plan says what came of it. ' +
        'If another backup was prepared meanwhile, nothing happens.',
      needsConfirmation: true,
      body: startShape.body({ backupId: '2026-05-04T09-30-00-000Z' }),
      answer,
      async handle({ body: { backupId }, by, origin }) {
        await restores.start(backupId, by);
        return read(origin);
      },
    }),
    consoleEndpoint({
      ...common,
      method: 'DELETE',
      path: '/system/restore',
      operationId: 'cancelRestore',
      summary: 'Do not restore at the next start',
      answer,
      async handle({ by, origin }) {
        await restores.cancel(by);
        return read(origin);
      },
    }),
  ];
}
