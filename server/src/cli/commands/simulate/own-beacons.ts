import { refusal, type ServiceClient, ServiceError } from '../../support/service-client.ts';

/** A beacon of the app as GET /beacons returns it. */
export interface ListedBeacon {
  readonly objectId: string;
  readonly name: string;
  readonly location?: Readonly<Record<string, unknown>>;
  readonly measuredPower?: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The app's beacons; undefined when the caller may not read them. @throws ServiceError */
export async function readBeacons(client: ServiceClient): Promise<ListedBeacon[] | undefined> {
  const found: ListedBeacon[] = [];
  for (let last = ''; ; ) {
    const where = JSON.stringify({ objectId: { $gt: last } });
    const query = new URLSearchParams({ where, order: 'objectId', limit: '1000' });
    const reply = await client.once('GET', `/beacons?${query}`);
    if (reply.body?.code === 209) return undefined;
    if (reply.status !== 200) throw new ServiceError(refusal(reply));
    const page = reply.body.results as ListedBeacon[];
    found.push(...page);
    if (page.length < 1000) return found;
    last = page.at(-1)?.objectId ?? '';
  }
}

/** How to get permission to read them. */
export const unreadable =
  "The app's beacons cannot be read with the app key alone. Pass --token or set TOKEN to a user's accessToken, or let\nthe key read them: pharos app policy ID --set readContent=app";
