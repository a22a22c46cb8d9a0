import { receiverName } from '@pharos/engine';
import type { GatewayReport } from '@pharos/gateways';
import { BoundedMap } from '../../../base/caches/bounded-map.ts';
import { sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { bigint, defineTable, double, nullable, type RowOf, text } from '../../../db/table.ts';
import type { Context } from '../../context.ts';
import { clockAfter, fits, type GatewayClock, isLate } from './clock.ts';

/** What each gateway was like when it was heard last. */
export const gatewayStates = defineTable({
  name: 'gateway_states',
  owner: 'gateways',
  columns: {
    app_id: text,
    gateway: text,
    format: nullable(text),
    heard_at: bigint,
    is_online: bigint,
    clock_offset: nullable(bigint),
    firmware: nullable(text),
    processor_load: nullable(double),
    uptime: nullable(bigint),
    refused_at: nullable(bigint),
    set_format: nullable(text),
  },
  key: ['app_id', 'gateway'],
  indexes: { gateway_states_age: { on: ['app_id', 'heard_at'] } },
  // One that is gone for so long has another name now.
  kept: { days: 30, by: 'heard_at' },
});

export type StateRow = RowOf<typeof gatewayStates>;
/** What messages say. */
type SentState = Omit<StateRow, 'set_format'>;

/** How often a gateway's state is stored, beside when it goes or comes back, ms. */
const writeEveryMs = 30_000;
/** How long a gateway may be silent before it counts as offline, ms. */
const silentMs = 300_000;
/** Who reports for gateways may name any; more of an app are not noted. */
const maxPerApp = 1_000;
const maxName = 200;

/** When a gateway sent something. */
export interface SentTime {
  /** By the service's clock, ms. */
  readonly at: number;
  /** Whether it was kept on its way. */
  readonly isLate: boolean;
  /** How far the gateway's clock is ahead, ms; undefined: the message does not say. */
  readonly clockOffset: number | undefined;
}

/** What else is noted with a message. */
interface Noted {
  /** When it was sent. */
  readonly at: number;
  readonly isRefused?: boolean;
}

export type GatewayStates = ReturnType<typeof createGatewayStates>;

export function createGatewayStates({ db, now, inBackground }: Pick<Context, 'db' | 'now' | 'inBackground'>) {
  const known = new BoundedMap<string, { readonly row: SentState; readonly writtenAt: number }>(10_000);
  const clocks = new BoundedMap<string, GatewayClock>(10_000);

  async function storedClock(appId: string, gateway: string): Promise<GatewayClock | undefined> {
    const row = await findState(db, appId, gateway);
    return row && row.clock_offset !== null ? { offset: Number(row.clock_offset) } : undefined;
  }

  return {
    /**
     * When the message was sent; undefined if nothing says it.
     *
     * @param mayBeKept a broker may have kept it: then the time of arrival says nothing
     */
    async timeOf(
      appId: string,
      name: string,
      { sentAt, heard }: GatewayReport,
      mayBeKept = false,
    ): Promise<SentTime | undefined> {
      const arrived = { at: now(), isLate: false, clockOffset: undefined };
      if (sentAt === undefined)
        return mayBeKept && heard.some(({ occurredAt }) => occurredAt === undefined) ? undefined : arrived;
      const gateway = receiverName(name);
      const key = `${appId} ${gateway}`;
      const sent = { sentAt, now: arrived.at };
      const stored = clocks.has(key) || name.length > maxName ? undefined : await storedClock(appId, gateway);
      // Another message may have come meanwhile.
      const before = clocks.get(key) ?? stored;
      if (mayBeKept && !(before && fits(before, sent))) return undefined;
      const clock = clockAfter(before, sent);
      if (name.length <= maxName) clocks.set(key, clock);
      const late = isLate(clock, sent);
      return { at: late ? sentAt - clock.offset : sent.now, isLate: late, clockOffset: clock.offset };
    },

    /** Notes a message of a gateway, which may have been too much. */
    note(appId: string, name: string, { format, status = {} }: GatewayReport, { at, isRefused = false }: Noted): void {
      if (name.length > maxName) return;
      const gateway = receiverName(name);
      const key = `${appId} ${gateway}`;
      const before = known.get(key);
      const heardAt = Math.max(at, before?.row.heard_at ?? at);
      // What a message leaves out stays as it was.
      const row: SentState = {
        ...{ app_id: appId, gateway, format: format ?? before?.row.format ?? null, heard_at: heardAt },
        is_online: status.isOnline === false ? 0 : 1,
        clock_offset: clocks.get(key)?.offset ?? null,
        firmware: status.firmware ?? before?.row.firmware ?? null,
        processor_load: status.load ?? before?.row.processor_load ?? null,
        uptime: status.uptime === undefined ? (before?.row.uptime ?? null) : Math.round(status.uptime),
        refused_at: isRefused ? heardAt : (before?.row.refused_at ?? null),
      };
      const isDue =
        before?.row.is_online !== row.is_online ||
        Math.abs(heardAt - before.writtenAt) >= writeEveryMs ||
        (isRefused && heardAt - (before.row.refused_at ?? 0) >= writeEveryMs);
      known.set(key, { row, writtenAt: isDue ? heardAt : before.writtenAt });
      if (isDue) inBackground('noting how a gateway is', () => save(db, row));
    },

    list: (appId: string): Promise<StateRow[]> =>
      db.all(sql`select * from gateway_states where app_id = ${appId} order by gateway limit ${maxPerApp}`, {
        tenant: appId,
      }),

    /** When something came of a gateway last, to half a minute. */
    async lastHeard(appId: string, gateway: string): Promise<number | undefined> {
      const row = await findState(db, appId, gateway);
      return row && Number(row.heard_at);
    },

    isOnline: ({ is_online: said, heard_at: at }: StateRow): boolean => said === 1 && now() - at < silentMs,
  };
}

const findState = (db: Db, appId: string, gateway: string): Promise<StateRow | undefined> =>
  db.one<StateRow>(sql`select * from gateway_states where app_id = ${appId} and gateway = ${gateway}`);

/** Stores the state, unless another node has stored a newer one. */
async function save(db: Db, row: SentState): Promise<void> {
  const { app_id: appId, gateway, format, heard_at: at, is_online: isOnline } = row;
  const found = await db.run(sql`update gateway_states set heard_at = ${at}, is_online = ${isOnline},
      format = coalesce(${format}, format), clock_offset = coalesce(${row.clock_offset}, clock_offset),
      firmware = coalesce(${row.firmware}, firmware), processor_load = coalesce(${row.processor_load}, processor_load),
      uptime = coalesce(${row.uptime}, uptime), refused_at = coalesce(${row.refused_at}, refused_at)
    where app_id = ${appId} and gateway = ${gateway} and heard_at <= ${at}`);
  if (found > 0) return;
  const known = await db.one<{ count: number }>(
    sql`select count(*) as count from gateway_states where app_id = ${appId}`,
  );
  if (Number(known?.count) >= maxPerApp) return;
  await db.run(sql`insert into gateway_states
      (app_id, gateway, format, heard_at, is_online, clock_offset, firmware, processor_load, uptime, refused_at)
    values (${appId}, ${gateway}, ${format}, ${at}, ${isOnline}, ${row.clock_offset}, ${row.firmware}, ${row.processor_load},
      ${row.uptime}, ${row.refused_at})
    on conflict (app_id, gateway) do nothing`);
}
