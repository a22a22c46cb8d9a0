import { Button } from '@mantine/core';
import { t } from '../../lib/words/words.ts';
import { Icon } from '../page/icon.tsx';
import type { ExportFormat, useExport } from './use-export.ts';

interface Props {
  readonly run: ReturnType<typeof useExport>;
  readonly format: ExportFormat;
  readonly className?: string | undefined;
}

/** Starts an export and shows how far it is. */
export function ExportButton({ run: { start, isRunning, progress }, format, className = '' }: Props) {
  return (
    <Button
      className={className}
      leftSection={<Icon name="download" size={16} />}
      loading={isRunning && progress === ''}
      disabled={isRunning}
      onClick={() => start(format)}
    >
      {progress || t('Export')}
    </Button>
  );
}
