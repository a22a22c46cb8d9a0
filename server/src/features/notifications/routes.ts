import { fail } from '../../base/errors.ts';
import type { Db } from '../../db/db.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { sentence } from '../../http/shape.ts';
import { resourceEndpoints } from '../../resources/resource.ts';
import {
  draftProblems,
  messageProblems,
  notificationExample,
  notificationRecord,
  notificationShape,
} from './schemas.ts';
import { notificationTable } from './store.ts';

export interface NotificationDeps {
  readonly db: Db;
  readonly findMissingBeacons: (db: Db, appId: string, ids: readonly string[]) => Promise<string[]>;
  /** Called in the transaction of every write: what is kept in memory of messages is no longer right. */
  readonly noteChange: (db: Db) => Promise<void>;
}

interface StoredNotification {
  readonly type: string;
  readonly message: Readonly<Record<string, unknown>>;
  readonly isEnabled: boolean;
}

export function notificationEndpoints({ db, findMissingBeacons, noteChange }: NotificationDeps): Endpoint[] {
  return resourceEndpoints({
    db,
    table: notificationTable,
    noun: ['notification', 'notifications'],
    title: ['Notification', 'Notifications'],
    tag: 'Notifications',
    path: '/notifications',
    shape: notificationShape,
    example: notificationExample,
    record: notificationRecord,
    grants: {
      read: ({ readContent }) => (readContent === 'app' ? 'visitor' : 'user'),
      create: ({ writeContent }) => writeContent,
      write: ({ writeContent }) => writeContent,
    },
    defaultLimit: 1000,
    onWrite: noteChange,
    onRemove: noteChange,
    verify: async (db, app, values, stored) => {
      const { type, message, isEnabled } = {
        ...stored,
        ...values,
      } as Partial<StoredNotification> as StoredNotification;
      const broken = messageProblems(type, message);
      const details = broken.length > 0 ? broken : draftProblems(type, message, isEnabled);
      if (details.length > 0) throw fail('ValidationError', { message: sentence(details), details });
      const pointer = values['beaconId'] as { objectId: string } | undefined;
      const [missing] = pointer ? await findMissingBeacons(db, app.appId, [pointer.objectId]) : [];
      if (missing !== undefined) throw fail('ObjectNotFound', `beaconId: there is no beacon ${missing}.`);
    },
  });
}
