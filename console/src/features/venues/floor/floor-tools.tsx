import { Anchor, Button, Checkbox, Group, NumberInput, SegmentedControl, Text } from '@mantine/core';
import type { Body, Floor } from '@pharos/sdk';
import { useState } from 'react';
import { Form } from '../../../components/form/form.tsx';
import { FailureNote } from '../../../components/page/blocks.tsx';
import { useAction } from '../../../lib/actions/use-action.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { planKeys } from '../../../lib/data/venue-queries.ts';
import { lineAt, type Point, pixelAt, rectangleAt } from '../../../lib/plan/floor-geometry.ts';
import { rich, t } from '../../../lib/words/words.ts';
import { planButton } from './plan-settings.tsx';
import type { Drawing, Mode } from './use-drawing.ts';
import type { Known } from './use-floor.ts';

interface Props {
  readonly appId: string;
  readonly floor: Floor;
}

interface ToolsProps {
  readonly drawing: Drawing;
  readonly known: Known;
  /** Undefined until that is known. */
  readonly hasPlan: boolean | undefined;
  /** The middle of what is seen. */
  readonly centre: () => Point;
}

export function Tools({ drawing, known, hasPlan, centre }: ToolsProps) {
  return (
    <>
      <ToolBar drawing={drawing} known={known} hasPlan={hasPlan} centre={centre} />
      {hasPlan === false && (
        <Text c="dimmed" mt={-6} mb="sm">
          {rich('To measure on the plan, <link>give the floor a picture</link> first.', {
            link: (inner) => (
              <Anchor component="button" type="button" size="sm" onClick={leadToPlan}>
                {inner}
              </Anchor>
            ),
          })}
        </Text>
      )}
    </>
  );
}

function leadToPlan(): void {
  const button = document.getElementById(planButton);
  button?.scrollIntoView({ block: 'center' });
  button?.focus({ preventScroll: true });
}

function ToolBar({ drawing, known, hasPlan, centre }: ToolsProps) {
  const { mode, snaps, isWhole } = drawing;
  return (
    <Group mb="sm" gap="xs">
      <SegmentedControl
        aria-label={t('Tool')}
        data={[
          { value: 'move', label: t('Move') },
          { value: 'draw', label: t('Draw a zone') },
          { value: 'wall', label: t('Draw a wall') },
          { value: 'scale', label: t('Measure'), disabled: !hasPlan },
        ]}
        value={mode}
        onChange={(value) => drawing.begin(value as Mode)}
      />
      {mode === 'draw' && (
        <>
          <Button variant="filled" disabled={!isWhole} onClick={drawing.finish}>
            {t('Finish the zone')}
          </Button>
          <Button onClick={() => drawing.add(rectangleAt(centre()))}>{t('Add a rectangle')}</Button>
        </>
      )}
      {mode === 'wall' && (
        <>
          <Button variant="filled" disabled={!isWhole} onClick={drawing.finish}>
            {t('Finish the wall')}
          </Button>
          <Button onClick={() => drawing.addWall(lineAt(centre()))}>{t('Add a straight wall')}</Button>
        </>
      )}
      {mode === 'move' && (
        <Button onClick={() => drawing.setSelected(`gateway ${known.addGateway(centre())}`)}>
          {t('Add a receiver (gateway)')}
        </Button>
      )}
      <Button disabled={!known.canUndo} onClick={known.undo} title={known.undoLabel ?? ''}>
        {t('Undo')}
      </Button>
      <Checkbox
        label={t('Snap to corners')}
        checked={snaps}
        onChange={({ currentTarget }) => drawing.setSnaps(currentTarget.checked)}
      />
      <Text c="dimmed" role="status">
        {statusOf(known)}
      </Text>
    </Group>
  );
}

function statusOf({ isUndoing, isStoring, news }: Known): string {
  if (isUndoing) return t('Undoing …');
  if (isStoring) return t('Saving …');
  if (!news) return '';
  const { label, isUndone } = news;
  return isUndone ? t('Undone: {label}', { label }) : t('Saved: {label}', { label });
}

interface ScaleProps extends Props {
  readonly points: readonly Point[];
  readonly onDone: () => void;
}

export function ScaleForm({ appId, floor, points, onDone }: ScaleProps) {
  const [metres, setMetres] = useState<number | string>('');
  const [from, to] = points.map((point) => pixelAt(floor, point));
  const save = useAction({
    run: async () => {
      if (from && to)
        await dataOf(appId).floors.update(floor.objectId, { scale: { from, to, metres: Number(metres) } });
    },
    done: t('The scale is set.'),
    // Zones and beacons keep their metres: with a slip of the mouse the picture no longer fits beneath them.
    undo: () => dataOf(appId).floors.update(floor.objectId, { scale: floor.scale ?? null } as Body<'updateFloor'>),
    refresh: planKeys(appId),
    showsError: true,
    after: onDone,
  });
  return (
    <Form onSubmit={() => save.mutate()}>
      <FailureNote message={save.error?.message} />
      <Group mb="sm" gap="xs" align="flex-end">
        <NumberInput
          label={t('Metres between the two points')}
          min={0.1}
          hideControls
          autoFocus
          value={metres}
          onChange={setMetres}
        />
        <Button
          variant="filled"
          type="submit"
          loading={save.isPending}
          disabled={typeof metres !== 'number' || metres <= 0}
        >
          {t('Set the scale')}
        </Button>
        <Button onClick={onDone}>{t('Cancel')}</Button>
      </Group>
    </Form>
  );
}
