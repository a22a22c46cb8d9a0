import { ActionIcon } from '@mantine/core';
import { useCallback, useState } from 'react';
import { lazyDialog } from '../../components/dialogs/lazy-dialog.tsx';
import { Icon } from '../../components/page/blocks.tsx';
import { t } from '../../lib/words/words.ts';
import { takeTyped, useShortcuts } from './use-shortcuts.ts';

const SearchDialog = lazyDialog(async () => (await import('./palette-dialogs.tsx')).SearchDialog);
const KeysDialog = lazyDialog(async () => (await import('./palette-dialogs.tsx')).KeysDialog);

/** The button and the keys that open the search over pages, actions and records. */
export function Palette({ appId }: { readonly appId: string | undefined }) {
  const [open, setOpen] = useState<'search' | 'help'>();
  const search = useCallback(() => setOpen('search'), []);
  const help = useCallback(() => setOpen('help'), []);
  const close = () => {
    takeTyped();
    setOpen(undefined);
  };
  useShortcuts({ onSearch: search, onHelp: help });
  return (
    <>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={t('Search everything (Ctrl K)')}
        title={t('Search everything (Ctrl K)')}
        onClick={search}
      >
        <Icon name="search" size={16} />
      </ActionIcon>
      <SearchDialog isOpen={open === 'search'} onClose={close} appId={appId} />
      <KeysDialog isOpen={open === 'help'} onClose={close} />
    </>
  );
}
