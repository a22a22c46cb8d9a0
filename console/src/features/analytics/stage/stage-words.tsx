import { Box, Text } from '@mantine/core';
import { t, tenths } from '../../../lib/words/words.ts';
import classes from '../analytics.module.css';
import stageClasses from './stage.module.css';
import {
  believedZone,
  floorAt,
  type Ground,
  happeningsOf,
  poseAt,
  summaryOf,
  type WalkAnswer,
  zoneAt,
} from './walk.ts';

/** What a walk comes to, in words and numbers. */

interface NowProps {
  readonly walk: WalkAnswer;
  readonly ground: Ground;
  readonly time: number;
}

/** Where the visitor is at this moment, in words. */
export function NowLine({ walk, ground, time }: NowProps) {
  const [visitor, ...others] = walk.visitors;
  if (!visitor) return null;
  if (others.length > 0) {
    const poses = walk.visitors.map((one) => poseAt(one, time));
    const here = poses.filter(({ at }) => at).length;
    const noticed = poses.filter(({ believed }) => believed).length;
    return (
      <Box component="p" mih="1.5em" mt="0.5rem" mb={0}>
        {t('{here, plural, one {One visitor is} other {# visitors are}} in the house, {noticed} noticed.', {
          here,
          noticed,
        })}
      </Box>
    );
  }
  const { at, believed } = poseAt(visitor, time);
  const outside = t('outside of all zones');
  const on = ground.floors.length > 1 ? floorAt(ground, at) : undefined;
  const here = zoneAt(ground, at)?.name ?? outside;
  const is = at ? (on ? t('{zone} ({floor})', { zone: here, floor: on.name }) : here) : t('not in the house');
  const beacon = ground.beacons.find(({ objectId }) => objectId === believed?.beacon)?.name ?? '';
  const guess = believed ? (believedZone(ground, believed)?.name ?? beacon) : t('nowhere');
  return (
    <Box component="p" mih="1.5em" mt="0.5rem" mb={0}>
      {believed?.error !== undefined && at
        ? t('The visitor is: {is}. The service believes: {guess}, {error} m off.', {
            is,
            guess,
            error: tenths(believed.error),
          })
        : t('The visitor is: {is}. The service believes: {guess}.', { is, guess })}
    </Box>
  );
}

export function Legend({ hasWalk }: { readonly hasWalk: boolean }) {
  const { legend, dot, guess, square } = stageClasses;
  return (
    <ul className={legend}>
      <li>
        <span className={`${dot} ${square}`} /> {t('beacon')}
      </li>
      {hasWalk && (
        <>
          <li>
            <span className={dot} /> {t('where the visitor is')}
          </li>
          <li>
            <span className={`${dot} ${guess}`} /> {t('where the service believes the visitor to be')}
          </li>
        </>
      )}
    </ul>
  );
}

export function Figures({ walk, ground }: { readonly walk: WalkAnswer; readonly ground: Ground }) {
  const { median, most, right, shown } = summaryOf(walk.visitors, ground);
  const entered = new Set(
    happeningsOf(walk).flatMap(({ event }) =>
      event.event === 'ENTER' ? (believedZone(ground, { beacon: event.beaconId.objectId })?.objectId ?? []) : [],
    ),
  );
  return (
    <>
      <ul className={classes.figures}>
        <li>
          <span>{t('Messages shown')}</span>
          <b>{shown}</b>
        </li>
        <li>
          <span>{t('Zones entered')}</span>
          <b>{entered.size}</b>
          <small>{t('of {count} in the venue', { count: ground.zones.length })}</small>
        </li>
        {median !== undefined && most !== undefined && (
          <li>
            <span>{t('Off by, usually')}</span>
            <b>{t('{metres} m', { metres: tenths(median) })}</b>
            <small>{t('{metres} m at most in nine of ten seconds', { metres: tenths(most) })}</small>
          </li>
        )}
        {right !== undefined && (
          <li>
            <span>{t('In the right zone')}</span>
            <b>{t('{share} %', { share: Math.round(right * 100) })}</b>
            <small>{t('of the time')}</small>
          </li>
        )}
      </ul>
      {walk.omitted > 0 && (
        <Text c="dimmed" role="status">
          {t(
            'The venue has so many beacons that {count, plural, one {one} other {#}} on floors over which nobody walks {count, plural, one {was} other {were}} left out.',
            { count: walk.omitted },
          )}
        </Text>
      )}
    </>
  );
}
