import { identityFeature } from './identities/feature.ts';
import { installationFeature, makers as installationMakers } from './installations/feature.ts';
import { mailLinkFeature } from './mail-links/feature.ts';
import { privacyFeature } from './privacy/feature.ts';
import { secondFactorFeature } from './second-factors/feature.ts';
import { userFeature, makers as userMakers } from './users/feature.ts';

export const features = [
  userFeature,
  privacyFeature,
  identityFeature,
  mailLinkFeature,
  secondFactorFeature,
  installationFeature,
];

export const makers = { ...installationMakers, ...userMakers };
