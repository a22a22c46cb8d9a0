import { Readable } from 'node:stream';
import type { AppContext } from '../../access/context.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import type { EarlyCall, HandlerAnswer } from '../mount-endpoints.ts';
import { type ConsoleCall, signedIn } from './console-endpoint.ts';

/** Calls endpoints of `/api/v2` on behalf of a request of the console, such as one that changes many records. */

type Caller = Pick<ConsoleCall<unknown>, 'admin' | 'now' | 'address'>;

/** The administrator's request as one to an endpoint. */
export function dataCall(
  { admin, now, address }: Caller,
  app: AppContext,
  { params, headers = {} }: { readonly params: EarlyCall['params']; readonly headers?: EarlyCall['headers'] },
): EarlyCall {
  return {
    app,
    user: undefined,
    isAdministrator: true,
    administrator: signedIn(admin).email,
    venues: signedIn(admin).venues,
    secretKey: undefined,
    params,
    query: {},
    now,
    address,
    headers,
    stream: Readable.from([]),
    objectId: undefined,
  };
}

type Handle = (endpoint: Endpoint, call: Call<unknown, unknown>) => Promise<HandlerAnswer>;

/** The steps of a request: what the path names, the body, and the work. @throws Failure as the endpoint does */
export async function carryOut(
  endpoint: Endpoint,
  early: EarlyCall,
  sent: unknown,
  handle: Handle = (one, call) => one.handle(call),
): Promise<HandlerAnswer> {
  const located = await endpoint.locate?.(early);
  const body = endpoint.body?.read(sent, early.app);
  return handle(endpoint, { ...early, body, located });
}
