import type { Endpoint } from '../../../../http/endpoint.ts';
import type { RecordDeps } from './bucket-of.ts';
import { patch, put } from './change-routes.ts';
import { create } from './create-route.ts';
import { remove } from './delete-route.ts';
import { get, list } from './read-routes.ts';

export function recordEndpoints(deps: RecordDeps): Endpoint[] {
  return [list(deps), create(deps), get(deps), put(deps), patch(deps), remove(deps)];
}
