import { Badge, Button, Group, Menu, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Row, RowButton, RowList } from '../../components/list/row-list.tsx';
import { EmptyState } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMay, useMayCall } from '../../lib/data/access.ts';
import {
  type HeardTag,
  ignore,
  ignoredQuery,
  nameOfHeard,
  nearbyKeys,
  nearbyQuery,
  numbersOf,
  stopIgnoring,
} from '../../lib/fleet/nearby.ts';
import { showAge, useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { AdoptDialog, type Adopted } from './adopt-dialog.tsx';
import { AdoptionRules } from './adoption-rules.tsx';

interface Props {
  readonly appId: string;
}

/** What gateways hear and the app does not know, the nearest first. */
export function HeardNearby({ appId }: Props) {
  const { data, error } = useQuery(nearbyQuery(appId));
  const [adopting, setAdopting] = useState<Adopted>();
  return (
    <Stack gap="md">
      <Text c="dimmed">
        {t(
          'Hold a tag or beacon close to a gateway: it comes to the top of this list within seconds. Phones and watches of visitors are not listed.',
        )}
      </Text>
      <RowList
        rows={data}
        error={error}
        label={t('Heard nearby')}
        height={200}
        empty={
          <EmptyState
            icon="antenna"
            title={t('Nothing unknown nearby')}
            text={t('In the last ten minutes, gateways have heard only what the app knows.')}
          />
        }
      >
        {(heard) => <HeardItem key={heard.tag} appId={appId} heard={heard} onAdopt={setAdopting} />}
      </RowList>
      <AdoptionRules appId={appId} />
      {adopting && (
        <AdoptDialog key={adopting.heard.tag} appId={appId} adopted={adopting} onClose={() => setAdopting(undefined)} />
      )}
    </Stack>
  );
}

interface ItemProps extends Props {
  readonly heard: HeardTag;
  readonly onAdopt: (adopted: Adopted) => void;
}

function HeardItem({ appId, heard, onAdopt }: ItemProps) {
  const { tag, rssi, gatewayId, heardAt, battery } = heard;
  const name = nameOfHeard(heard);
  return (
    <Row
      title={
        <Group gap="xs">
          {name}
          <Badge color={rssi >= closeRssi ? 'teal' : 'gray'}>{signalWords(rssi)}</Badge>
        </Group>
      }
      facts={[
        t('at {gateway}, {age}', { gateway: gatewayId, age: showAge(heardAt) }),
        battery !== undefined && t('battery {percent} %', { percent: Math.round(battery) }),
        name !== tag && <span className="mono">{tag}</span>,
      ]}
      tools={<HeardActions appId={appId} heard={heard} name={name} onAdopt={onAdopt} />}
    />
  );
}

/** A tag in the hand of somebody who stands before the gateway, and one in the same room, dBm. */
const [closeRssi, roomRssi] = [-55, -75];

function signalWords(rssi: number): string {
  if (rssi >= closeRssi) return t('Strong signal');
  return rssi >= roomRssi ? t('Medium signal') : t('Weak signal');
}

function HeardActions({ appId, heard, name, onAdopt }: ItemProps & { readonly name: string }) {
  const may = useMay()('beacons.write');
  const mayTag = useMayCall()('registerInstallation');
  const hide = useAction({
    run: () => ignore(appId, heard.tag),
    undo: () => stopIgnoring(appId, heard.tag),
    done: t('{name} is ignored from now on.', { name }),
    refresh: nearbyKeys(appId),
  });
  const canBeBeacon = may && numbersOf(heard) !== undefined;
  if (!may && !mayTag) return null;
  return (
    <Group gap="xs">
      {(canBeBeacon || mayTag) && (
        <Menu position="bottom-start">
          <Menu.Target>
            <Button size="xs" aria-label={t('{action}: {name}', { action: t('Take over'), name })}>
              {t('Take over')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {canBeBeacon && <Menu.Item onClick={() => onAdopt({ heard, as: 'beacon' })}>{t('as a beacon')}</Menu.Item>}
            {mayTag && (
              <>
                <Menu.Item onClick={() => onAdopt({ heard, as: 'person' })}>
                  {t('as a tag that somebody wears')}
                </Menu.Item>
                <Menu.Item onClick={() => onAdopt({ heard, as: 'thing' })}>{t('as a tag on a thing')}</Menu.Item>
              </>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
      {may && (
        <RowButton
          label={t('Ignore')}
          of={t('{action}: {name}', { action: t('Ignore'), name })}
          isBusy={hide.isPending}
          onClick={() => hide.mutate()}
        />
      )}
    </Group>
  );
}

/** What nobody wants to see among what is heard. */
export function IgnoredTags({ appId }: Props) {
  const { data, error } = useQuery(ignoredQuery(appId));
  const may = useMay()('beacons.write');
  const times = useTimes(appId);
  const show = useAction({
    run: (tag: string) => stopIgnoring(appId, tag),
    undo: (_, tag) => ignore(appId, tag),
    done: t('It is shown again when a gateway hears it.'),
    refresh: nearbyKeys(appId),
  });
  return (
    <RowList
      rows={data}
      error={error}
      label={t('Ignored')}
      height={200}
      empty={
        <EmptyState
          icon="antenna"
          title={t('Nothing is ignored')}
          text={t('What you ignore under Heard nearby is listed here.')}
        />
      }
    >
      {({ tag, ignoredAt }) => (
        <Row
          key={tag}
          title={<span className="mono">{tag}</span>}
          facts={[t('since {time}', { time: times.minute(ignoredAt) })]}
          tools={
            may && (
              <RowButton
                label={t('Show again')}
                of={t('{action}: {name}', { action: t('Show again'), name: tag })}
                isBusy={show.isPending && show.variables === tag}
                onClick={() => show.mutate(tag)}
              />
            )
          }
        />
      )}
    </RowList>
  );
}
