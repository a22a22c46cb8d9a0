import { Box, Button, Group, NumberInput, Text, TextInput } from '@mantine/core';
import { type Floor, operations, PharosError } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { DialogForm } from '../../components/form/dialog-form.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import { RowList } from '../../components/list/row-list.tsx';
import names from '../../components/names/names.module.css';
import blocks from '../../components/page/blocks.module.css';
import { Block, Icon } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMayCall } from '../../lib/data/access.ts';
import { listAll } from '../../lib/data/all-records.ts';
import { dataOf } from '../../lib/data/api.ts';
import { floorsQuery, planKeys, pointer, zonesQuery } from '../../lib/data/venue-queries.ts';
import { t } from '../../lib/words/words.ts';
import { FloorsFromPictures } from './floors-from-pictures.tsx';
import classes from './venues.module.css';

interface Props {
  readonly appId: string;
  readonly venueId: string;
}

/** The floors of a venue, the highest first. */
export function FloorsBlock({ appId, venueId }: Props) {
  const { data: floors, error } = useQuery(floorsQuery(appId, venueId));
  const { data: zones } = useQuery(zonesQuery(appId, venueId));
  const [isAdding, setAdding] = useState(false);
  const mayAdd = useMayCall()('createFloor');
  const zonesOn = (floorId: string) => zones?.filter((zone) => zone.floorId.objectId === floorId).length ?? 0;
  return (
    <Block title={t('Floors')} about={t('Each floor has a plan, on which zones are drawn and beacons are placed.')}>
      <RowList rows={floors} error={error} label={t('Floors')} empty={<Text c="dimmed">{t('No floors yet.')}</Text>}>
        {(floor) => (
          <li key={floor.objectId} className={blocks.row}>
            <span className={classes.level}>{floor.level}</span>
            <Link
              to="/apps/$appId/beacons/venues/$venueId/floors/$floorId"
              params={{ appId, venueId, floorId: floor.objectId }}
              className={`${names.link} ${classes.grow}`}
            >
              {floor.name}
            </Link>
            <Box component="span" c="dimmed" fz="0.92rem">
              {t('{hasPlan, select, true {plan} other {no plan}}, {zonesOn, plural, one {# zone} other {# zones}}', {
                hasPlan: Boolean(floor.plan),
                zonesOn: zonesOn(floor.objectId),
              })}
            </Box>
          </li>
        )}
      </RowList>
      {mayAdd && (
        <Group mt="md" gap="xs">
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
            {t('Add a floor')}
          </Button>
          <FloorsFromPictures appId={appId} venueId={venueId} level={nextLevel(floors ?? [])} />
        </Group>
      )}
      <FloorDialog
        appId={appId}
        venueId={venueId}
        isOpen={isAdding}
        level={nextLevel(floors ?? [])}
        onClose={() => setAdding(false)}
      />
    </Block>
  );
}

/** Above the highest. */
export const nextLevel = (floors: readonly Floor[]) =>
  floors.length === 0 ? 0 : Math.floor(Math.max(...floors.map(({ level }) => level))) + 1;

interface DialogProps extends Props {
  readonly isOpen: boolean;
  readonly level: number;
  /** Its plan and zones are copied. */
  readonly like?: Floor;
  readonly onClose: () => void;
}

export function FloorDialog({ appId, venueId, isOpen, level, like, onClose }: DialogProps) {
  const navigate = useNavigate();
  const copy = useRef<Copy>({ zones: new Set() });
  const form = useFields<{ readonly name: string; readonly level: number | string }>({ name: '', level: '' });
  const add = useAction({
    run: async () => {
      const { name, level: typed } = form.current();
      const place = { name: name.trim(), level: typed === '' ? level : Number(typed) };
      return like ? copyFloor(appId, like, place, copy.current) : makeFloor(appId, venueId, place);
    },
    done: like ? t('The floor is copied.') : t('The floor is added.'),
    refresh: planKeys(appId),
    showsError: true,
    after: (floorId) => {
      copy.current = { zones: new Set() };
      // The page of a copy is the same as that of the floor.
      onClose();
      return navigate({
        to: '/apps/$appId/beacons/venues/$venueId/floors/$floorId',
        params: { appId, venueId, floorId },
      });
    },
  });
  return (
    <DialogForm
      isOpen={isOpen}
      title={like ? t('Duplicate {name}', { name: like.name }) : t('Add a floor')}
      form={form}
      submit={like ? t('Duplicate') : t('Add the floor')}
      isBusy={add.isPending}
      onSubmit={() => add.mutate(undefined, { onError: form.setFailure })}
      onClose={onClose}
      about={like && <Text>{t('The plan, the walls and the zones are copied. Beacons stay where they are.')}</Text>}
    >
      <TextInput label={t('Name')} placeholder={t('Ground floor')} required data-autofocus {...form.text('name')} />
      <NumberInput
        label={t('Level')}
        description={t('0 is the ground floor, 1 the one above it, -1 the one below.')}
        placeholder={String(level)}
        hideControls
        {...form.number('level')}
      />
    </DialogForm>
  );
}

interface Place {
  readonly name: string;
  readonly level: number;
}

async function makeFloor(appId: string, venueId: string, place: Place): Promise<string> {
  return (await dataOf(appId).floors.create({ venueId: pointer('Venue', venueId), ...place })).objectId;
}

/** A copy that is being made: when the network fails in the middle, the next try goes on with it. */
interface Copy {
  floorId?: string;
  /** Those that are copied. */
  readonly zones: Set<string>;
}

async function hasFile(appId: string, file: string): Promise<boolean> {
  try {
    await dataOf(appId).call(operations.getFile, { params: { file } });
    return true;
  } catch (error) {
    if (error instanceof PharosError && error.status === 404) return false;
    throw error;
  }
}

/** @throws Error that says how far it has come, PharosError */
async function copyFloor(appId: string, like: Floor, place: Place, copy: Copy): Promise<string> {
  const { floors, zones } = dataOf(appId);
  const { venueId, plan, scale, origin, north, size, walls } = like;
  // A picture that was deleted is no reason to draw everything anew.
  const isThere = plan !== undefined && (await hasFile(appId, plan.fileId));
  const same = { ...(isThere && { plan }), ...(scale && { scale }), ...(origin && { origin }), ...(size && { size }) };
  const drawn = { ...(walls && { walls }), ...(north === undefined ? {} : { north }) };
  const where = { floorId: pointer('Floor', like.objectId) };
  const drawnZones = await listAll(zones.list, where);
  if (copy.floorId !== undefined) await floors.update(copy.floorId, place);
  const floorId = copy.floorId ?? (await floors.create({ venueId, ...same, ...drawn, ...place })).objectId;
  copy.floorId = floorId;
  try {
    for (const { objectId, name, kind, polygon, capacity } of drawnZones) {
      if (copy.zones.has(objectId)) continue;
      const limit = capacity ? { capacity } : {};
      await zones.create({ floorId: pointer('Floor', floorId), name, kind, polygon, ...limit });
      copy.zones.add(objectId);
    }
  } catch (error) {
    throw new Error(
      t('{done, number} of {total, number} zones are copied so far. Try again to go on with the others. {message}', {
        done: copy.zones.size,
        total: drawnZones.length,
        message: (error as Error).message,
      }),
    );
  }
  return floorId;
}
