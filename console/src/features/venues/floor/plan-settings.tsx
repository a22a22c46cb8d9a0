import { Alert, Button, FileButton, Group, Loader, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import type { Body, Floor } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { SharedForm } from '../../../components/form/page-form.tsx';
import { type SavedRecord, useRecordForm } from '../../../components/form/use-record-form.ts';
import { Block, FailureNote, Icon } from '../../../components/page/blocks.tsx';
import { useAction } from '../../../lib/actions/use-action.ts';
import { useMayCall } from '../../../lib/data/access.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { planFileQuery, planKeys } from '../../../lib/data/venue-queries.ts';
import { hasOtherShape, inItsPlace, metresPerPixel } from '../../../lib/plan/floor-geometry.ts';
import { t } from '../../../lib/words/words.ts';
import classes from '../venues.module.css';
import { changeFloorNow } from './meanwhile.ts';
import { PdfPages } from './pdf/pdf-pages.tsx';
import { isPdf, openPdf, type Pdf } from './pdf/read-pdf.ts';
import { uploadPlan } from './read-plan.ts';

interface Props {
  readonly appId: string;
  readonly floor: Floor;
}

/** The button with which a floor gets a picture; other parts of the page lead to it. */
export const planButton = 'plan-picture';

/** The picture, how large it is in the building, and what the floor is called. */
export function PlanSettings({ appId, floor }: Props) {
  const upload = useAction({
    run: async (file: File) => {
      const plan = await uploadPlan(appId, file);
      await dataOf(appId).floors.update(floor.objectId, { plan, ...inItsPlace(floor, plan) });
      return { hasOtherShape: hasOtherShape(floor, plan), before: floor };
    },
    done: ({ hasOtherShape }) =>
      hasOtherShape
        ? t(
            'The plan is stored, as wide in metres as the one before, but it has another shape. See whether the zones still fit; else measure it anew.',
          )
        : t('The plan is stored.'),
    // The picture before is still among the files.
    undo: ({ before: { plan, scale, origin } }) =>
      dataOf(appId).floors.update(floor.objectId, {
        plan: plan ?? null,
        scale: scale ?? null,
        origin: origin ?? null,
      } as Body<'updateFloor'>),
    isUndoable: ({ before }) => before.plan !== undefined,
    refresh: planKeys(appId),
    showsError: true,
  });
  const { fileId } = floor.plan ?? {};
  const { data: file } = useQuery({ ...planFileQuery(appId, fileId ?? ''), enabled: fileId !== undefined });
  const isGone = fileId !== undefined && file === null;
  const [pdf, setPdf] = useState<Pdf>();
  useEffect(() => () => pdf?.close(), [pdf]);
  const open = useAction({ run: openPdf, after: setPdf, showsError: true });
  const isBusy = upload.isPending || open.isPending;
  const take = (file: File | null) => {
    if (!file || isBusy) return;
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
        {isGone && (
          <Alert color="yellow" icon={<Icon name="warning" />}>
            {t(
              'The picture of this plan was deleted. It is in the trash for 30 days, from where it can be put back; or upload another one. Zones and beacons have kept their places.',
            )}
          </Alert>
        )}
        {pdf && (
          <PdfPages pdf={pdf} onPick={(picture) => upload.mutateAsync(picture)} onClose={() => setPdf(undefined)} />
        )}
        <Group gap="xs">
          <FileButton accept="image/png,image/jpeg,image/webp,application/pdf,.pdf" onChange={take}>
            {(props) => (
              <Button
                {...props}
                id={planButton}
                // One that is disabled meanwhile would lose the focus.
                aria-busy={isBusy}
                leftSection={isBusy ? <Loader size={16} /> : <Icon name="upload" size={16} />}
              >
                {floor.plan ? t('Replace the plan') : t('Upload a picture or PDF')}
              </Button>
            )}
          </FileButton>
        </Group>
        <Measures key={floor.objectId} appId={appId} floor={floor} />
      </Stack>
    </Block>
  );
}

interface Values {
  readonly name: string;
  readonly level: number | string;
  readonly width: number | string;
  readonly 'origin.x': number | string;
  readonly 'origin.y': number | string;
  readonly north: number | string;
}

const valuesOf = (floor: Floor): Values => ({
  name: floor.name,
  level: floor.level,
  width: floor.plan && floor.scale ? Math.round(floor.plan.width * metresPerPixel(floor) * 100) / 100 : '',
  'origin.x': floor.origin?.x ?? '',
  'origin.y': floor.origin?.y ?? '',
  north: floor.north ?? '',
});

function bodyOf(values: Values, floor: Floor): Body<'updateFloor'> {
  const { name, level, north, 'origin.x': x, 'origin.y': y } = values;
  return {
    name: name.trim(),
    level,
    scale: scaleOf(values, floor),
    origin: x === '' && y === '' ? null : { x: x || 0, y: y || 0 },
    north: north === '' ? null : north,
  } as Body<'updateFloor'>;
}

/** One that was measured between two points stays until another width is entered. */
function scaleOf({ width }: Values, floor: Floor) {
  const { plan, scale } = floor;
  if (width === valuesOf(floor).width) return scale ?? null;
  return width === '' || !plan ? null : { from: { x: 0, y: 0 }, to: { x: plan.width, y: 0 }, metres: width };
}

function Measures({ appId, floor }: Props) {
  const { floors } = dataOf(appId);
  const mayPlace = useMayCall()('updateBeacon');
  const shared = useRecordForm<Floor, Values, SavedRecord>({
    name: `floor ${floor.objectId}`,
    record: floor,
    fieldsOf: (stored = floor) => valuesOf(stored),
    bodyOf: (values, stored = floor) => bodyOf(values, stored),
    read: () => floors.get(floor.objectId),
    change: (members, ifMatch) => changeFloorNow(appId, floor.objectId, { change: members, ifMatch, mayPlace }),
    done: ({ name }) => t('{name} is saved.', { name: name.trim() }),
    refresh: planKeys(appId),
    labels: {
      name: t('Name of the floor'),
      level: t('Level'),
      width: t('Width of the picture'),
      north: t('North'),
      'origin.x': t('Zero point, from the left'),
      'origin.y': t('Zero point, from the top'),
    },
  });
  const { form, isBusy } = shared;
  return (
    <SharedForm shared={shared}>
      <FailureNote message={form.rest(['name', 'level', 'north'])} />
      <div className={classes.pair}>
        <TextInput label={t('Name of the floor')} required {...form.text('name')} />
        <NumberInput label={t('Level')} hideControls {...form.number('level')} />
        <NumberInput
          label={t('Width of the picture')}
          description={
            floor.plan ? t('In metres; or measure two points on it') : t('In metres, once there is a picture')
          }
          disabled={!floor.plan}
          min={0}
          hideControls
          {...form.number('width')}
        />
        <NumberInput
          label={t('North')}
          description={t('In degrees: 0 is up on the plan, 90 to the right')}
          min={0}
          max={360}
          hideControls
          {...form.number('north')}
        />
        <NumberInput
          label={t('Zero point, from the left')}
          description={t('In pixels of the picture')}
          hideControls
          {...form.number('origin.x')}
        />
        <NumberInput
          label={t('Zero point, from the top')}
          description={t('In pixels of the picture')}
          hideControls
          {...form.number('origin.y')}
        />
      </div>
      <Text c="dimmed" mt="xs" maw="42rem">
        {t(
          'Metres are counted from the top left corner of the plan. Leave the zero point empty, unless the building is measured from another point already.',
        )}
      </Text>
      <Button type="submit" mt="md" disabled={!form.isDirty} loading={isBusy}>
        {t('Save')}
      </Button>
    </SharedForm>
  );
}
