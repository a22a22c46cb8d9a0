import { Button } from '@mantine/core';
import { t } from '../../lib/words/words.ts';
import { Icon } from '../page/icon.tsx';

interface Props {
  readonly appId: string;
  readonly kind: 'user' | 'installation';
  readonly objectId: string;
}

/** Exports everything that is known of a person, as one JSON file that the service writes while it is saved. */
export function PersonExport({ appId, kind, objectId }: Props) {
  return (
    <Button
      variant="default"
      component="a"
      href={`/console/api/apps/${encodeURIComponent(appId)}/${kind}s/${objectId}/export`}
      download
      leftSection={<Icon name="download" size={16} />}
    >
      {t('Export')}
    </Button>
  );
}
