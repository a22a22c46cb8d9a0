import { Badge, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { TextLink } from '../../../components/names/names.tsx';
import { Block, Loading } from '../../../components/page/blocks.tsx';
import { eventTexts } from '../../../components/rules/rules.ts';
import { useMayCall } from '../../../lib/data/access.ts';
import { t } from '../../../lib/words/words.ts';
import classes from '../beacons.module.css';
import { beaconUsesQuery } from '../queries.ts';

interface Props {
  readonly appId: string;
  readonly beaconId: string;
}

/** The notifications and scenarios that are shown at a beacon. */
export function BeaconMessages({ appId, beaconId }: Props) {
  const mayCall = useMayCall();
  const { data: uses, error } = useQuery(beaconUsesQuery(appId, beaconId, mayCall));
  const mayTry = mayCall('simulateSightings');
  const total = (uses?.notifications ?? 0) + (uses?.scenarios ?? 0);
  const { notifications = [], scenarios = [] } = uses?.shown ?? {};
  const more = total - notifications.length - scenarios.length;
  return (
    <Block title={t('Messages here')} about={t('What visitors are shown at this beacon.')}>
      <Loading data={uses} error={error} height={60} />
      {uses && total === 0 && (
        <Text c="dimmed">
          {uses.isPart ? t('None of your messages uses this beacon.') : t('No message uses this beacon.')}
        </Text>
      )}
      <ul className={`bare ${classes.lines}`} aria-label={t('Messages here')}>
        {notifications.map(({ objectId, description, event, isEnabled }) => (
          <li key={objectId}>
            <Link
              to="/apps/$appId/messages/$messageId"
              params={{ appId, messageId: objectId }}
              className={classes.what}
            >
              {description}
            </Link>
            <span className="soft">
              {t('Message, when a visitor {verb}', { verb: eventTexts[event].verb })}{' '}
              {!isEnabled && <Badge color="gray">{t('Off')}</Badge>}
            </span>
          </li>
        ))}
        {scenarios.map(({ objectId, alertTitle, event }) => (
          <li key={objectId}>
            <Link
              to="/apps/$appId/messages/$messageId"
              params={{ appId, messageId: objectId }}
              className={classes.what}
            >
              {alertTitle || t('A message without a title')}
            </Link>
            <span className="soft">{t('In a series, when a visitor {verb}', { verb: eventTexts[event].verb })}</span>
          </li>
        ))}
      </ul>
      {more > 0 && (
        <Text c="dimmed" mt="xs">
          {t('And {more, number} more.', { more })}
        </Text>
      )}
      {uses?.isPart && (
        <Text c="dimmed" mt="xs">
          {t('Messages of the whole app are shown to those who have all of it.')}
        </Text>
      )}
      {mayTry && (
        <Text mt="sm" component="div">
          <TextLink to="/apps/$appId/activity/what-if" params={{ appId }} search={{ beacon: beaconId }}>
            {t('See what would happen here')}
          </TextLink>
        </Text>
      )}
    </Block>
  );
}
