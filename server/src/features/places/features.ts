import { beaconFeature, makers as beaconMakers } from './beacons/feature.ts';
import { makers as deviceMakers } from './devices/feature.ts';
import { venueFeature, makers as venueMakers } from './venues/feature.ts';

export { deviceFeature } from './devices/feature.ts';

export const features = [beaconFeature, venueFeature];

export const makers = { ...beaconMakers, ...deviceMakers, ...venueMakers };

type Offers = typeof import('./offers.ts');
declare module '../services.ts' {
  interface Services extends Offers {}
}
