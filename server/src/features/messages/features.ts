import { notificationFeature, makers as notificationMakers } from './notifications/feature.ts';
import { makers as pushMakers } from './push/feature.ts';
import { makers as senderMakers } from './senders/feature.ts';
import { storylineFeature, makers as storylineMakers } from './storylines/feature.ts';
import { toStorylineFeature } from './to-storyline.ts';

export { pushFeature } from './push/feature.ts';
export { senderFeature } from './senders/feature.ts';

export const features = [notificationFeature, storylineFeature, toStorylineFeature];

export const makers = { ...notificationMakers, ...pushMakers, ...senderMakers, ...storylineMakers };
