import { SegmentedControl } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { t } from '../../lib/words/words.ts';

export type PlaceView = 'table' | 'map' | 'venues';

interface Props {
  readonly appId: string;
  readonly view: PlaceView;
  /** Keeps the search and the filter of the page that is shown. */
  readonly onChange?: (view: PlaceView) => void;
}

/** The views of a site: its beacons in a table or on a map, or its buildings. */
export function PlaceViews({ appId, view, onChange }: Props) {
  const navigate = useNavigate();
  function change(next: PlaceView) {
    const params = { appId };
    if (next === 'venues') void navigate({ to: '/apps/$appId/beacons/venues', params });
    else if (onChange) onChange(next);
    else void navigate({ to: '/apps/$appId/beacons', params, search: next === 'map' ? { view: 'map' } : {} });
  }
  return (
    <SegmentedControl
      aria-label={t('View')}
      data={[
        { value: 'table', label: t('Table') },
        { value: 'map', label: t('Map') },
        { value: 'venues', label: t('Venues') },
      ]}
      value={view}
      onChange={(value) => change(value as PlaceView)}
    />
  );
}
