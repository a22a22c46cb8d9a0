import { Button, Group } from '@mantine/core';
import type { RefObject } from 'react';
import { Icon } from '../../../components/page/blocks.tsx';
import { t } from '../../../lib/words/words.ts';
import type { CsvRows } from '../plot/csv.ts';
import { SaveCsv } from '../plot/csv-button.tsx';
import { saveDrawing, saveDrawingAsPng } from './save.ts';

interface Props {
  readonly drawing: RefObject<SVGSVGElement | null>;
  /** Of the pictures, without an ending. */
  readonly fileName: string;
  /** The numbers as columns of the interface. */
  readonly csv: { readonly fileName: string; readonly rows: CsvRows };
}

/** A plan as files: its numbers, and itself as a picture and as a drawing. */
export function PlanDownloads({ drawing, fileName, csv }: Props) {
  const withDrawing = (save: typeof saveDrawing) => () => void (drawing.current && save(drawing.current, fileName));
  return (
    <Group gap="xs">
      <SaveCsv fileName={csv.fileName} rows={() => csv.rows} />
      <Button size="xs" leftSection={<Icon name="picture" size={14} />} onClick={withDrawing(saveDrawingAsPng)}>
        {t('PNG')}
      </Button>
      <Button size="xs" leftSection={<Icon name="picture" size={14} />} onClick={withDrawing(saveDrawing)}>
        {t('SVG')}
      </Button>
    </Group>
  );
}
