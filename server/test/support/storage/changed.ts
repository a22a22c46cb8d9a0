import type { Database, Db } from '../../../src/db/db.ts';

/** A database some of whose methods are others. */
export function changed<T extends Db>(db: T, change: Partial<Database>): T {
  return new Proxy(db, {
    get(target, name) {
      if (name in change) return change[name as keyof Database];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
