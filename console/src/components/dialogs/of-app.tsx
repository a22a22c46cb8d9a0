import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { appQuery } from '../../lib/data/queries.ts';
import { rich } from '../../lib/words/words.ts';

/** The app in which something serious is done: with two apps open in two tabs, it shows which one is meant. */
export function OfApp() {
  const { appId = '' } = useParams({ strict: false });
  const { data: app } = useQuery({ ...appQuery(appId), enabled: appId !== '' });
  if (!app) return null;
  return <Text c="dimmed">{rich('In the app <b>{name}</b>', { name: app.name })}</Text>;
}
