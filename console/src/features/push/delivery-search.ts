import type { JsonObject } from '@pharos/sdk';
import { type DeliveryState, isDeliveryState } from './push-states.ts';

/** Which recipients the page of a push lists, as in the address. */
export interface DeliveriesSearch {
  readonly state?: DeliveryState;
  readonly reason?: string;
  /** From 1. */
  readonly page?: number;
}

export function readDeliveriesSearch({ state, reason, page }: Readonly<Record<string, unknown>>): DeliveriesSearch {
  return {
    ...(isDeliveryState(state) ? { state } : {}),
    ...(typeof reason === 'string' && reason !== '' ? { reason } : {}),
    ...(Number.isInteger(page) && (page as number) > 1 ? { page: page as number } : {}),
  };
}

export function deliveriesWhere(pushId: string, { state, reason }: DeliveriesSearch): JsonObject {
  return { pushId, ...(state ? { state } : {}), ...(reason ? { reason } : {}) };
}
