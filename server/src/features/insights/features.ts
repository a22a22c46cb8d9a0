import { analyticsFeature } from './analytics/feature.ts';
import { occupancyFeature, makers as occupancyMakers } from './occupancy/feature.ts';
import { reportFeature, makers as reportMakers } from './reports/feature.ts';

export const features = [analyticsFeature, occupancyFeature, reportFeature];

export const makers = { ...occupancyMakers, ...reportMakers };
