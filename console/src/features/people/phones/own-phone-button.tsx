import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { OwnPhonesDialog } from '../../../components/message/own-phones.tsx';
import { Icon } from '../../../components/page/blocks.tsx';
import { useMay } from '../../../lib/data/access.ts';
import { t } from '../../../lib/words/words.ts';

/** Finds the person whose phone is at hand: the app on it scans a code, and its page opens. */
export function OwnPhoneButton({ appId }: { readonly appId: string }) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  if (!useMay()('phones.pair')) return null;
  return (
    <>
      <Button leftSection={<Icon name="phone" size={16} />} onClick={() => setOpen(true)}>
        {t('The phone in my hand')}
      </Button>
      <OwnPhonesDialog
        appId={appId}
        isOpen={isOpen}
        chosen=""
        isOwnAlone
        about={t(
          'Scan the code that is shown next with the app on the phone. Then the page of its owner opens here; the phone is among yours until you remove it.',
        )}
        onChoose={(installationId) =>
          void navigate({ to: '/apps/$appId/installations/$installationId', params: { appId, installationId } })
        }
        onRemove={() => undefined}
        onClose={() => setOpen(false)}
      />
    </>
  );
}
