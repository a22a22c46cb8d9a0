import { receiverName } from '@pharos/engine';
import { type Format, formats } from '@pharos/gateways';
import { BoundedMap } from '../../../base/caches/bounded-map.ts';
import { sql } from '../../../base/sql.ts';
import type { Context } from '../../context.ts';

/** Set formats by gateway. */
type FormatsOfApp = ReadonlyMap<string, Format>;

/** How long other nodes may read messages as before, ms. */
const cachedMs = 10_000;
const maxApps = 200;

export type GatewayFormats = ReturnType<typeof createGatewayFormats>;

/** As whose messages those of gateways are read, if somebody has said so. */
export function createGatewayFormats({ db, now }: Pick<Context, 'db' | 'now'>) {
  const known = new BoundedMap<string, { readonly formats: Promise<FormatsOfApp>; readonly at: number }>(maxApps);

  async function read(appId: string): Promise<FormatsOfApp> {
    const rows = await db.all<{ gateway: string; set_format: string }>(
      sql`select gateway, set_format from gateway_states where app_id = ${appId} and set_format is not null`,
    );
    return new Map(
      rows.flatMap(({ gateway, set_format: set }) => {
        const format = formats.find((one) => one === set);
        return format ? [[gateway, format]] : [];
      }),
    );
  }

  return {
    /** Undefined: found by shape and topic. */
    async of(appId: string, name: string): Promise<Format | undefined> {
      let cached = known.get(appId);
      if (!cached || Math.abs(now() - cached.at) >= cachedMs) {
        cached = { formats: read(appId), at: now() };
        known.set(appId, cached);
        cached.formats.catch(() => known.delete(appId));
      }
      return (await cached.formats).get(receiverName(name));
    },

    /** False: nothing has come of this gateway. */
    async set(appId: string, name: string, format: Format | null): Promise<boolean> {
      const found = await db.run(
        sql`update gateway_states set set_format = ${format}, format = coalesce(${format}, format)
          where app_id = ${appId} and gateway = ${receiverName(name)}`,
      );
      known.delete(appId);
      return found > 0;
    },
  };
}
