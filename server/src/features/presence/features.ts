import { adoptionFeature, makers as adoptionMakers } from './adoption/feature.ts';
import { bundleFeature } from './bundle/feature.ts';
import { fleetFeature, makers as fleetMakers } from './fleet/feature.ts';
import { gatewayFeature, makers as gatewayMakers } from './gateways/feature.ts';
import { liveFeature, makers as liveMakers } from './live/feature.ts';
import { logFeature, makers as logMakers } from './logs/feature.ts';
import { makers as sightingMakers } from './sightings/feature.ts';
import { surveyFeature, makers as surveyMakers } from './surveys/feature.ts';

export const features = [
  surveyFeature,
  bundleFeature,
  gatewayFeature,
  adoptionFeature,
  fleetFeature,
  liveFeature,
  logFeature,
];

export const makers = {
  ...adoptionMakers,
  ...fleetMakers,
  ...gatewayMakers,
  ...liveMakers,
  ...logMakers,
  ...sightingMakers,
  ...surveyMakers,
};

type Offers = typeof import('./offers.ts');
declare module '../services.ts' {
  interface Services extends Offers {}
}
