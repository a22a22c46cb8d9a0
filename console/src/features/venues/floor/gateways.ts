import type { Floor } from '@pharos/sdk';
import { t } from '../../../lib/words/words.ts';
import { changeFloor } from './change-floor.ts';

/** Where receivers hang, which is a member of a floor. Each has a name of its own there. */

export interface Gateway {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  /** Of the secret key that it sends. */
  readonly keyId?: string;
}

/** `keyId: undefined` unties it. */
export type GatewayEdit = Partial<Pick<Gateway, 'name' | 'x' | 'y'>> & { readonly keyId?: string | undefined };

export interface DrawnGateway extends Gateway {
  readonly id: string;
}

export const gatewaysOf = ({ gateways = [] }: Pick<Floor, 'gateways'>): readonly DrawnGateway[] =>
  gateways.map((one) => ({ id: `gateway ${one.name}`, ...bare(one) }));

/** As it is stored. */
const bare = ({ name, x, y, keyId }: Gateway | (GatewayEdit & Pick<Gateway, 'name' | 'x' | 'y'>)): Gateway => ({
  name,
  x,
  y,
  ...(keyId === undefined ? {} : { keyId }),
});

/** What is done to all gateways of a floor. @throws Error when the gateway that it is about is gone */
export type GatewayChange = (gateways: readonly Gateway[]) => readonly Gateway[];

export const withGateway =
  (gateway: Gateway): GatewayChange =>
  (gateways) => [...gateways, bare(gateway)];

export const withoutGateway =
  (name: string): GatewayChange =>
  (gateways) => {
    assertThere(gateways, name);
    return gateways.filter((one) => one.name !== name);
  };

export const withChanged =
  (name: string, change: GatewayEdit): GatewayChange =>
  (gateways) => {
    assertThere(gateways, name);
    return gateways.map((one) => (one.name === name ? bare({ ...one, ...change }) : one));
  };

function assertThere(gateways: readonly Gateway[], name: string): void {
  if (gateways.every((one) => one.name !== name))
    throw new Error(t('Somebody else has changed this gateway meanwhile. Look at the plan and do it again.'));
}

/** A name that no gateway of the floor has. */
export function freeName(gateways: readonly Gateway[]): string {
  const taken = new Set(gateways.map(({ name }) => name));
  for (let number = gateways.length + 1; ; number++) {
    const name = t('Gateway {number}', { number });
    if (!taken.has(name)) return name;
  }
}

/** @throws Error, PharosError */
export const changeGateways = (appId: string, floorId: string, change: GatewayChange): Promise<void> =>
  changeFloor(appId, floorId, ({ gateways = [] }) => ({ gateways: change(gateways) }));
