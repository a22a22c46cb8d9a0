import { t } from '../../lib/words/words.ts';
import { type Stop, stopOf } from '../dialogs/stop-dialog.tsx';

/** The question before a message gets days or dates on which nobody sees it. */
export const neverSoon = (what: string): Stop | undefined =>
  stopOf(t('Stop showing {what}', { what }), t('Save and stop showing it'), [
    t('{what} is shown to nobody on any of the coming 14 days.', { what }),
  ]);
