import { Button } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../lib/words/words.ts';
import { lazyDialog } from '../dialogs/lazy-dialog.tsx';

const CloseAppDialog = lazyDialog(async () => (await import('./close-app-dialog.tsx')).CloseAppDialog);

/** Closes an app to strangers, after showing what that would have refused. */
export function CloseApp({ appId }: { readonly appId: string }) {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Button size="compact-sm" variant="light" onClick={() => setAsked(true)}>
        {t('Close it …')}
      </Button>
      <CloseAppDialog isOpen={isAsked} onClose={() => setAsked(false)} appId={appId} />
    </>
  );
}
