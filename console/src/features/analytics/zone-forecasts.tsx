import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Block } from '../../components/page/blocks.tsx';
import { t } from '../../lib/words/words.ts';
import { dayText } from './period.ts';
import { inSeconds } from './plot/csv.ts';
import { CsvButton } from './plot/csv-button.tsx';
import { NumberTable } from './plot/number-table.tsx';
import { type ZoneForecast, zoneForecastsQuery } from './queries.ts';
import { type SiteOf, useWayNames } from './site.ts';
import { countText, dwellText, plotted } from './words.ts';

interface Props {
  readonly appId: string;
  readonly place: Readonly<Record<string, string>>;
  readonly site: SiteOf | undefined;
}

/** How full zones may be on the next open day, and how long queues may take: queues first. */
export function ZoneForecasts({ appId, place, site }: Props) {
  const { data } = useQuery(zoneForecastsQuery(appId, place));
  const zones = data?.zones ?? [];
  const nameOf = useWayNames(appId, site, zones);
  if (!data || data.date === null) return null;
  const day = dayText(data.date);
  const queues = new Set(site?.zones.flatMap(({ objectId, kind }) => (kind === 'queue' ? [objectId] : [])));
  const shown = zones
    .filter(({ peak, stay }) => peak !== null || stay !== null)
    .sort((a, b) => Number(queues.has(b.zoneId)) - Number(queues.has(a.zoneId)) || plottedPeak(b) - plottedPeak(a));
  if (shown.length === 0)
    return (
      <Block title={t('The next open day')}>
        <Text maw="42rem">
          {t(
            'Nothing can be said of {day} yet: that takes eight days like it on which somebody was seen here, of the same weekday and open as usual.',
            { day },
          )}
        </Text>
      </Block>
    );
  const label = t('How full zones may be on {day}', { day });
  const rows = shown.map((zone) => [nameOf(zone), peakText(zone), stayText(zone)]);
  return (
    <Block
      title={t('The next open day: {day}', { day })}
      about={t(
        'The middle of the last days like it, eight at most: the same weekday, open as usual, no holiday. After ± stands by how much that would have been off at most on three of four of the days on which it was tried. In a queue, the stay is the wait.',
      )}
    >
      <NumberTable label={label} table={{ header: [t('Zone'), t('At once'), t('Stay (median)')], rows }} />
      <CsvButton label={label} fileName={`zones-on-${data.date}`} rows={() => csvOf(shown, nameOf)} />
    </Block>
  );
}

const parts = [
  ['peak', ['visitors', 'error', 'within', 'tried']],
  ['stay', ['seconds', 'error', 'within', 'tried']],
] as const;
const unitOf = (column: string) => (column === 'stay.error' ? inSeconds(column) : column);

function csvOf(zones: readonly ZoneForecast[], nameOf: (zone: ZoneForecast) => string): string[][] {
  const columns = parts.flatMap(([part, members]) => members.map((member) => `${part}.${member}`));
  const cells = zones.map((zone) => [
    zone.zoneId,
    nameOf(zone),
    ...parts.flatMap(([part, members]) => {
      const forecast: Readonly<Record<string, unknown>> = zone[part] ?? {};
      return members.map((member) => String(forecast[member] ?? ''));
    }),
  ]);
  return [['zoneId', 'zone', ...columns.map(unitOf)], ...cells];
}

const plottedPeak = ({ peak }: ZoneForecast) => plotted(peak?.visitors ?? null) ?? 0;

const peakText = ({ peak }: ZoneForecast) =>
  peak ? `${countText(peak.visitors)} ± ${countText(peak.error)}` : t('too few days');

const stayText = ({ stay }: ZoneForecast) =>
  stay ? `${dwellText(stay.seconds)} ± ${dwellText(stay.error)}` : t('too few days');
