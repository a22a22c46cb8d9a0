import { Button, type ButtonProps } from '@mantine/core';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { addressOfPage } from '../../lib/data/whose-page.ts';
import { t } from '../../lib/words/words.ts';
import { Icon } from '../page/blocks.tsx';

interface Props extends Pick<ButtonProps, 'size' | 'children'> {
  /** The service writes the file while it is saved, and refuses it without a fresh confirmation. */
  readonly href: string;
  readonly label?: string;
}

/** Saves a file with personal data, after asking for the password if the last confirmation has expired. */
export function ConfirmedDownload({ href, label, size = 'sm', children }: Props) {
  const save = useAction({
    run: async () => {
      // The browser itself saves the file, and could only show a refusal.
      await call('checkConfirmation');
      const link = document.createElement('a');
      link.href = addressOfPage(href);
      link.download = '';
      link.click();
    },
  });
  return (
    <Button
      size={size}
      loading={save.isPending}
      leftSection={<Icon name="download" size={size === 'xs' ? 14 : 16} />}
      aria-label={label}
      onClick={() => save.mutate()}
    >
      {children ?? t('Export')}
    </Button>
  );
}
