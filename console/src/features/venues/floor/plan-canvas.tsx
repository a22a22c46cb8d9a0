import { useEffect, useRef } from 'react';
import classes from '../venues.module.css';
import { FloorMap, type MapEvents, type Shown } from './map/floor-map.ts';

interface Props {
  readonly label: string;
  readonly shown: Shown;
  readonly events: MapEvents;
  /** Given the map once it is there. */
  readonly onReady?: (map: FloorMap) => void;
}

export function PlanCanvas({ label, shown, events, onReady }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const map = useRef<FloorMap>(undefined);
  const latest = useRef(events);
  latest.current = events;
  const ready = useRef(onReady);
  useEffect(() => {
    if (!element.current) return;
    const made = new FloorMap(element.current, () => latest.current);
    map.current = made;
    ready.current?.(made);
    return () => {
      made.remove();
      map.current = undefined;
    };
  }, []);
  const last = useRef('');
  useEffect(() => {
    // A page that is drawn again because of something else leaves the map alone.
    const text = JSON.stringify(shown);
    if (text === last.current && map.current) return;
    last.current = text;
    map.current?.show(shown);
  });
  return <section ref={element} className={classes.map} aria-label={label} data-mode={shown.mode} />;
}
