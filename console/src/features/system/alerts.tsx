import { Alert, Badge, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Row, RowList } from '../../components/list/row-list.tsx';
import { TextLink } from '../../components/names/names.tsx';
import { Block, Icon } from '../../components/page/blocks.tsx';
import { call } from '../../lib/data/api.ts';
import { datesInWords } from '../../lib/text/dates-in-words.ts';
import { useServiceTimes } from '../../lib/time/service-times.ts';
import { t, translated } from '../../lib/words/words.ts';

const alertsQuery = queryOptions({
  queryKey: ['system', 'alerts'],
  queryFn: () => call('listAlerts'),
  refetchInterval: 60_000,
});

/** The alerts that the service has sent about itself, and whether anybody receives them. */
export function ServiceAlerts() {
  const { data, error } = useQuery(alertsQuery);
  const times = useServiceTimes();
  return (
    <Block
      title={t('What was told')}
      about={t(
        'What needs a person about the whole service: disk, database, certificates, backups. Owners are told by mail. What needs a person in an app is on its Home.',
      )}
    >
      {data?.canMail === false && (
        <Alert color="yellow" mb="md" icon={<Icon name="warning" />}>
          {t('No mail server is set up, so nobody is told by mail. Whoever runs the service can set one up.')}
        </Alert>
      )}
      {data?.results.length === 0 ? (
        <Text c="dimmed">{t('Nothing in the last week.')}</Text>
      ) : (
        <RowList rows={data?.results} error={error} label={t('Alerts')}>
          {({ alertId, title, text, begunAt, endedAt, isGrave }) => (
            <Row
              key={alertId}
              title={
                <>
                  {datesInWords(translated(title))}{' '}
                  <Badge color={endedAt ? 'gray' : isGrave ? 'red' : 'yellow'}>
                    {endedAt ? t('over') : t('lasts')}
                  </Badge>
                </>
              }
              facts={[
                t('since {dateTime}', { dateTime: times.minute(begunAt) }),
                endedAt && t('until {dateTime}', { dateTime: times.minute(endedAt) }),
              ]}
            >
              {!endedAt && <Text>{datesInWords(translated(text))}</Text>}
            </Row>
          )}
        </RowList>
      )}
      <Text mt="md" component="div">
        <TextLink to="/account">{t('Choose what you are told')}</TextLink>
      </Text>
    </Block>
  );
}
