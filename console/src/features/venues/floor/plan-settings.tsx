import { Button, FileButton, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import type { Body, Floor } from '@pharos/sdk';
import { useEffect, useState } from 'react';
import { useFields } from '../../../components/form/use-fields.ts';
import { Block } from '../../../components/page/block.tsx';
import { FailureNote } from '../../../components/page/failure-note.tsx';
import { Icon } from '../../../components/page/icon.tsx';
import { useAction } from '../../../lib/actions/use-action.ts';
import { useMayCall } from '../../../lib/data/access.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { planKeys } from '../../../lib/data/venue-queries.ts';
import { metresPerPixel } from '../../../lib/plan/floor-geometry.ts';
import { t } from '../../../lib/words/words.ts';
import classes from '../venues.module.css';
import { PdfPages } from './pdf/pdf-pages.tsx';
import { isPdf, openPdf, type Pdf } from './pdf/read-pdf.ts';
import { uploadPlan } from './read-plan.ts';

interface Props {
  readonly appId: string;
  readonly floor: Floor;
}

/** The picture, how large it is in the building, and what the floor is called. */
export function PlanSettings({ appId, floor }: Props) {
  const mayUpload = useMayCall()('uploadFile');
  const upload = useAction({
    run: async (file: File) =>
      dataOf(appId).floors.update(floor.objectId, { plan: await uploadPlan(appId, file) } as Body<'updateFloor'>),
    done: t('The plan is stored.'),
    refresh: planKeys(appId),
    showsError: true,
  });
  const [pdf, setPdf] = useState<Pdf>();
  useEffect(() => () => pdf?.close(), [pdf]);
  const open = useAction({ run: openPdf, after: setPdf, showsError: true });
  const take = (file: File | null) => {
    if (!file) return;
    upload.reset();
    open.reset();
    if (isPdf(file)) open.mutate(file);
    else upload.mutate(file);
  };
  return (
    <Block
      title={t('Plan')}
      about={t(
        'A PNG, JPEG or WebP picture of the floor, up to 20 MB and 8,000 pixels a side, or a page of a PDF document, up to 50 MB.',
      )}
    >
      <Stack gap="md">
        <FailureNote message={(upload.error ?? open.error)?.message} />
        {pdf && (
          <PdfPages pdf={pdf} onPick={(picture) => upload.mutateAsync(picture)} onClose={() => setPdf(undefined)} />
        )}
        <Group gap="xs">
          {mayUpload ? (
            <FileButton accept="image/png,image/jpeg,image/webp,application/pdf,.pdf" onChange={take}>
              {(props) => (
                <Button
                  {...props}
                  variant="default"
                  loading={upload.isPending || open.isPending}
                  leftSection={<Icon name="upload" size={16} />}
                >
                  {floor.plan ? t('Replace the plan') : t('Upload a picture or PDF')}
                </Button>
              )}
            </FileButton>
          ) : (
            <Text size="sm" c="dimmed">
              {t('Owners, managers and editors upload pictures.')}
            </Text>
          )}
        </Group>
        <Measures key={`${floor.updatedAt}`} appId={appId} floor={floor} />
      </Stack>
    </Block>
  );
}

interface Fields {
  readonly name: string;
  readonly level: number | string;
  readonly width: number | string;
  readonly 'origin.x': number | string;
  readonly 'origin.y': number | string;
  readonly north: number | string;
}

const valuesOf = (floor: Floor): Fields => ({
  name: floor.name,
  level: floor.level,
  width: floor.plan && floor.scale ? Math.round(floor.plan.width * metresPerPixel(floor) * 100) / 100 : '',
  'origin.x': floor.origin?.x ?? '',
  'origin.y': floor.origin?.y ?? '',
  north: floor.north ?? '',
});

/** Only what was changed, so that a scale that was measured between two points stays. */
function changesOf(floor: Floor, fields: Fields): Body<'updateFloor'> {
  const before = valuesOf(floor);
  const { plan } = floor;
  const isChanged = (...names: readonly (keyof Fields)[]) => names.some((name) => fields[name] !== before[name]);
  const [x, y] = [fields['origin.x'], fields['origin.y']];
  const scale = plan && { from: { x: 0, y: 0 }, to: { x: plan.width, y: 0 }, metres: fields.width };
  return {
    ...(isChanged('name') ? { name: fields.name.trim() } : {}),
    ...(isChanged('level') ? { level: fields.level } : {}),
    ...(isChanged('width') ? { scale: fields.width === '' ? null : scale } : {}),
    ...(isChanged('origin.x', 'origin.y') ? { origin: x === '' && y === '' ? null : { x: x || 0, y: y || 0 } } : {}),
    ...(isChanged('north') ? { north: fields.north === '' ? null : fields.north } : {}),
  } as Body<'updateFloor'>;
}

function Measures({ appId, floor }: Props) {
  const [start] = useState(() => valuesOf(floor));
  const form = useFields<Fields>(start);
  const save = useAction({
    run: () => dataOf(appId).floors.update(floor.objectId, changesOf(floor, form.current())),
    done: t('{name} is saved.', { name: floor.name }),
    refresh: planKeys(appId),
    showsError: true,
  });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(undefined, { onError: form.setFailure });
      }}
    >
      <FailureNote message={form.rest(['name', 'level', 'north'])} />
      <div className={classes.pair}>
        <TextInput label={t('Name of the floor')} required {...form.text('name')} />
        <NumberInput label={t('Level')} hideControls {...form.number('level')} />
        <NumberInput
          label={t('Width of the picture')}
          description={t('In metres; or measure two points on it')}
          disabled={!floor.plan}
          min={0}
          hideControls
          {...form.number('width')}
        />
        <NumberInput
          label={t('North')}
          description={t('Degrees clockwise from upwards')}
          min={0}
          max={360}
          hideControls
          {...form.number('north')}
        />
        <NumberInput
          label={t('x is 0 at')}
          description={t('Pixels from the left')}
          hideControls
          {...form.number('origin.x')}
        />
        <NumberInput
          label={t('y is 0 at')}
          description={t('Pixels from the top')}
          hideControls
          {...form.number('origin.y')}
        />
      </div>
      <Button type="submit" mt="md" variant="default" disabled={!form.isDirty} loading={save.isPending}>
        {t('Save')}
      </Button>
    </form>
  );
}
