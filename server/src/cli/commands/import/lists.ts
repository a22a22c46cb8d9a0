import { isObject } from '@pharos/query';
import { type Document, type Source, timeOf, withoutMembers } from './item.ts';
import { filesOf } from './parse-server.ts';

const stamps = new Set(['objectId', 'createdAt', 'updatedAt', 'createdBy', 'venueId', 'zoneId']);

/**
 * A folder of lists as `/api/v2` answers them, of the original service or of another Pharos: `beacons.json`, `users.json`
 * (which has no passwords), and a file for each bucket.
 */
export const lists =
  (folder: string): Source =>
  () =>
    filesOf(folder, (name) => ({ at, value, fileTime }) => {
      const createdAt = timeOf(value['createdAt'], fileTime);
      const found = {
        at,
        of: name === 'users' ? '_User' : name,
        id: String(value['objectId'] ?? ''),
        createdAt,
        updatedAt: Math.max(createdAt, timeOf(value['updatedAt'], createdAt)),
      };
      if (name === 'beacons') return { kind: 'beacon', ...found, body: withoutMembers(value, stamps) };
      const metadata = isObject(value['metadata']) ? (value['metadata'] as Document) : {};
      if (name !== 'users') return { kind: 'record', ...found, bucket: name, document: metadata };
      return {
        kind: 'user',
        ...found,
        email: String(value['validemail'] ?? value['email'] ?? ''),
        isVerified: false,
        isDisabled: false,
        firstname: String(value['firstname'] ?? ''),
        lastname: String(value['lastname'] ?? ''),
        passwordHash: undefined,
        metadata,
      };
    });
