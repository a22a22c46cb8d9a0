import { Box, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Block } from '../../components/page/blocks.tsx';
import { listed, t } from '../../lib/words/words.ts';
import { dayText } from './period.ts';
import { forecastQuery } from './queries.ts';
import { countText } from './words.ts';

interface Props {
  readonly appId: string;
  readonly place: Readonly<Record<string, string>>;
}

/** What the next open day may bring, with how wrong that may be; nothing where too little is known. */
export function ForecastBlock({ appId, place }: Props) {
  const { data } = useQuery(forecastQuery(appId, place));
  const forecast = data?.forecast;
  if (!forecast) return null;
  const { date, visitors, error, within, tried, days } = forecast;
  return (
    <Block title={t('The next open day')}>
      <Box component="p" mt={0} mb="0.4rem" fz="1.25rem" fw={650}>
        {t('{day}: about {told} {visitors, plural, one {visitor} other {visitors}}', {
          day: dayText(date),
          told: countText(visitors),
          visitors: typeof visitors === 'number' ? visitors : 2,
        })}
      </Box>
      <Text maw="42rem">
        {t(
          'The middle of the last {count, number} days like it: the same weekday, open as usual, no holiday. On {within, number} of the {tried, number} days on which this was tried, it would have {error, plural, =0 {been right} one {been off by one visitor at most} other {been off by # visitors at most}}.',
          { count: days.length, within, tried, error },
        )}
      </Text>
      <Text c="dimmed">
        {t('Those days: {days}.', {
          days: listed(days.map((day) => `${dayText(day.date)} (${countText(day.visitors)})`)),
        })}
      </Text>
    </Block>
  );
}
