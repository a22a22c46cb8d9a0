import { useLocation } from '@tanstack/react-router';
import { EmptyState } from '../../components/page/blocks.tsx';
import { t } from '../../lib/words/words.ts';
import { PhoneView } from './phone-view.tsx';
import classes from './pretend.module.css';
import { accessIn } from './pretend-phone.ts';

/** The simulated phone on a phone of one's own, for whoever has scanned the code; nobody is signed in there. */
export function OwnPhonePage() {
  const access = accessIn(useLocation({ select: ({ hash }) => hash }));
  return (
    <main className={classes.own}>
      {access ? (
        <>
          <h1>{t('Pretend phone')}</h1>
          <PhoneView access={access} />
        </>
      ) : (
        <EmptyState
          icon="phone"
          title={t('This link does not work')}
          text={t('Scan the code in the console once more.')}
        />
      )}
    </main>
  );
}
