import { bucketFeature, makers as bucketMakers } from './buckets/feature.ts';
import { bulkFeature } from './bulk/feature.ts';
import { makers as fileMakers } from './files/feature.ts';
import { historyFeature, makers as historyMakers } from './history/feature.ts';

export { fileFeature } from './files/feature.ts';

export const features = [bucketFeature, bulkFeature, historyFeature];

export const makers = { ...bucketMakers, ...fileMakers, ...historyMakers };
