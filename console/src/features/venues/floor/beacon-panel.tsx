import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { type Beacon, entityTag } from '@pharos/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from '../../../components/form/form.tsx';
import { TextLink } from '../../../components/names/names.tsx';
import { FailureNote, LinkButton } from '../../../components/page/blocks.tsx';
import { useAction } from '../../../lib/actions/use-action.ts';
import { useMayCall } from '../../../lib/data/access.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { planKeys } from '../../../lib/data/venue-queries.ts';
import { type Point, round } from '../../../lib/plan/floor-geometry.ts';
import { rich, t } from '../../../lib/words/words.ts';
import { MetreInputs, type TypedPoint } from '../metre-inputs.tsx';
import classes from '../venues.module.css';

interface Props {
  readonly appId: string;
  readonly beacon: Beacon;
  readonly zone: string | undefined;
  readonly mayEdit: boolean;
  /** With the tag of the beacon as it was read. */
  readonly onPlace: (to: Point, ifMatch: string | undefined) => void;
}

const placeOf = ({ location }: Beacon): Point => {
  const { x = 0, y = 0 } = (location ?? {}) as Partial<Point>;
  return { x, y };
};
const isSame = (a: TypedPoint, b: TypedPoint) => a.x === b.x && a.y === b.y;

/** What is stored, or what is typed in its place, which stays when the beacon is moved in the meantime; and where it was then. */
function usePlace(stored: Point) {
  const [{ from, typed }, set] = useState<{ readonly from: Point; readonly typed: TypedPoint }>({
    from: stored,
    typed: stored,
  });
  if (isSame(from, typed) && !isSame(from, stored)) set({ from: stored, typed: stored });
  return {
    from,
    typed,
    type: (next: TypedPoint) => set({ from, typed: next }),
    begin: (place: Point) => set({ from: place, typed: place }),
  };
}

export function BeaconPanel({ appId, beacon, zone, mayEdit, onPlace }: Props) {
  const stored = placeOf(beacon);
  const { from, typed, type, begin } = usePlace(stored);
  const queries = useQueryClient();
  const mayCall = useMayCall();
  const [found, setFound] = useState<Beacon>();
  const isWhole = typeof typed.x === 'number' && typeof typed.y === 'number';
  const to = { x: round(Number(typed.x)), y: round(Number(typed.y)) };
  const place = (as: Beacon) => {
    setFound(undefined);
    begin(to);
    onPlace(to, entityTag(as));
  };
  const look = useAction<void, Beacon>({
    run: () => dataOf(appId).beacons.get(beacon.objectId),
    showsError: true,
    after: (now) => (isSame(placeOf(now), from) ? place(now) : setFound(now)),
  });
  function submit() {
    if (isWhole) look.mutate();
  }
  return (
    <Stack gap="xs">
      <h3>{beacon.name}</h3>
      <Text c="dimmed">
        {rich('{hasZone, select, true {In {zone}.} other {In no zone.}} <link>The beacon</link>', {
          zone,
          hasZone: Boolean(zone),
          link: (inner) => (
            <TextLink to="/apps/$appId/beacons/$beaconId" params={{ appId, beaconId: beacon.objectId }}>
              {inner}
            </TextLink>
          ),
        })}
      </Text>
      {mayCall('createNotification') && (
        <LinkButton
          to="/apps/$appId/messages/new"
          params={{ appId }}
          search={{ beacon: beacon.objectId }}
          icon="edit"
          isPlain
        >
          {t('Write a message')}
        </LinkButton>
      )}
      <Form onSubmit={submit}>
        <div className={classes.pair}>
          <MetreInputs step={0.1} readOnly={!mayEdit} value={typed} onChange={type} />
        </div>
        {!found && !isSame(from, stored) && (
          <Text role="status" mt="xs">
            {movedText(stored)}
          </Text>
        )}
        <FailureNote message={look.error?.message} />
        {found ? (
          <Moved
            now={placeOf(found)}
            to={to}
            onMove={() => place(found)}
            onLeave={() => {
              setFound(undefined);
              begin(placeOf(found));
              for (const queryKey of planKeys(appId)) void queries.invalidateQueries({ queryKey });
            }}
          />
        ) : (
          mayEdit && (
            <Button type="submit" size="xs" mt="xs" disabled={!isWhole} loading={look.isPending}>
              {t('Move it there')}
            </Button>
          )
        )}
      </Form>
    </Stack>
  );
}

const movedText = ({ x, y }: Point) => t('It was moved to {x}, {y} meanwhile.', { x, y });

interface MovedProps {
  readonly now: Point;
  readonly to: Point;
  readonly onMove: () => void;
  readonly onLeave: () => void;
}

/** Somebody has moved it while a place was typed: a person chooses. */
function Moved({ now, to, onMove, onLeave }: MovedProps) {
  return (
    <Alert color="yellow" mt="xs" role="alert">
      <Text>{movedText(now)}</Text>
      <Group gap="xs" mt="xs">
        <Button size="xs" onClick={onLeave}>
          {t('Leave it there')}
        </Button>
        <Button variant="filled" size="xs" onClick={onMove}>
          {t('Move it to {x}, {y}', { x: to.x, y: to.y })}
        </Button>
      </Group>
    </Alert>
  );
}
