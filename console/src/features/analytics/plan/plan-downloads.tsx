import { Button, Group } from '@mantine/core';
import type { RefObject } from 'react';
import { Icon } from '../../../components/page/icon.tsx';
import { download } from '../../../lib/actions/download.ts';
import { writeCsv } from '../../../lib/text/csv.ts';
import { t } from '../../../lib/words/words.ts';
import { saveDrawing, saveDrawingAsPng } from './save.ts';

interface Props {
  readonly drawing: RefObject<SVGSVGElement | null>;
  /** Of the pictures, without an ending. */
  readonly fileName: string;
  /** The numbers as columns of the interface. */
  readonly csv: { readonly fileName: string; readonly rows: readonly (readonly string[])[] };
}

/** A plan as files: its numbers, and itself as a picture and as a drawing. */
export function PlanDownloads({ drawing, fileName, csv }: Props) {
  const withDrawing = (save: typeof saveDrawing) => () => void (drawing.current && save(drawing.current, fileName));
  return (
    <Group gap="xs">
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name="download" size={14} />}
        onClick={() => download(`${csv.fileName}.csv`, 'text/csv', [writeCsv(csv.rows)])}
      >
        {t('CSV')}
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name="picture" size={14} />}
        onClick={withDrawing(saveDrawingAsPng)}
      >
        {t('PNG')}
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name="picture" size={14} />}
        onClick={withDrawing(saveDrawing)}
      >
        {t('SVG')}
      </Button>
    </Group>
  );
}
