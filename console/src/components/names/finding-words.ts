import type { Finding } from '../../lib/fleet/findings.ts';
import { t } from '../../lib/words/words.ts';

export const findingTitles: Readonly<Record<Finding['kind'], string>> = {
  silent: t('Silent'),
  battery: t('Battery low'),
  moved: t('Moved'),
  cloned: t('Copied'),
  bleeding: t('Heard too far away'),
  setting: t('Set up unlike the others'),
};
