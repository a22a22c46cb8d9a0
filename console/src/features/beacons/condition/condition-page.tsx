import { Badge, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Row, RowList } from '../../../components/list/row-list.tsx';
import { findingTitles } from '../../../components/names/finding-words.ts';
import { TextLink } from '../../../components/names/names.tsx';
import { EmptyState, Icon } from '../../../components/page/blocks.tsx';
import { BackLink, PageHeader } from '../../../components/page/page-header.tsx';
import { download } from '../../../lib/actions/download.ts';
import { pointer, venueNamesQuery } from '../../../lib/data/venue-queries.ts';
import {
  type ConditionView,
  type Finding,
  findingsQuery,
  inOrderOfWalk,
  isToDo,
  needsBattery,
} from '../../../lib/fleet/findings.ts';
import { writeCsv } from '../../../lib/text/csv.ts';
import { useTimes } from '../../../lib/time/times.ts';
import { t, translated } from '../../../lib/words/words.ts';
import { useFloorOf } from '../where.tsx';
import { FindingActions } from './finding-actions.tsx';

const route = getRouteApi('/signed-in/apps/$appId/beacons/condition');

const shownIn: Readonly<Record<ConditionView, (finding: Finding) => boolean>> = {
  todo: isToDo,
  batteries: (one) => isToDo(one) && needsBattery(one),
  done: (one) => !isToDo(one),
};

/** What is wrong with the beacons, and the list for the next round of batteries. */
export function ConditionPage() {
  const { appId } = route.useParams();
  const { view = 'todo' } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error } = useQuery(findingsQuery(appId));
  const found = data?.filter(shownIn[view]);
  const shown = found && (view === 'batteries' ? inOrderOfWalk(found) : found);
  return (
    <>
      <PageHeader
        title={t('Health of the beacons')}
        back={<BackLink label={t('All beacons')} to="/apps/$appId/beacons" params={{ appId }} />}
      >
        {t('What is wrong with beacons, as phones and gateways hear them.')}
      </PageHeader>
      <Stack gap="md">
        <Group gap="xs" justify="space-between">
          <SegmentedControl
            aria-label={t('View')}
            data={[
              { value: 'todo', label: t('To do') },
              { value: 'batteries', label: t('Batteries') },
              { value: 'done', label: t('Mended and muted') },
            ]}
            value={view}
            onChange={(value) => void navigate({ search: value === 'todo' ? {} : { view: value as ConditionView } })}
          />
          {shown && shown.length > 0 && <SaveCsv appId={appId} findings={shown} />}
        </Group>
        <RowList
          rows={shown}
          error={error}
          label={t('Findings')}
          height={200}
          empty={
            <EmptyState
              icon="check"
              title={t('Nothing here')}
              text={t('No problem is known. The health of a beacon is known once phones or gateways have heard it.')}
            />
          }
        >
          {(finding) => <FindingItem key={`${finding.beaconId} ${finding.kind}`} appId={appId} finding={finding} />}
        </RowList>
      </Stack>
    </>
  );
}

function FindingItem({ appId, finding }: { readonly appId: string; readonly finding: Finding }) {
  const times = useTimes(appId);
  const { beaconId, name, kind, text, since, state, stateAt, by, venueId = '', location } = finding;
  // As far as it is drawn.
  const floor = useFloorOf(appId, { venueId: pointer('Venue', venueId), ...(location ? { location } : {}) });
  return (
    <Row
      title={
        <Group gap="xs">
          <TextLink to="/apps/$appId/beacons/$beaconId" params={{ appId, beaconId }}>
            {name}
          </TextLink>
          <Badge color={finding.isFound ? 'yellow' : 'gray'}>{findingTitles[kind]}</Badge>
        </Group>
      }
      facts={[
        floor && (
          <TextLink
            key="floor"
            to="/apps/$appId/beacons/venues/$venueId/floors/$floorId"
            params={{ appId, venueId, floorId: floor.objectId }}
          >
            {floor.name}
          </TextLink>
        ),
        t('since {time}', { time: times.minute(since) }),
        stateAt && by && stateWords(state, { by, time: times.minute(stateAt) }),
      ]}
      tools={<FindingActions appId={appId} finding={finding} />}
    >
      <Text>{translated(text)}</Text>
    </Row>
  );
}

interface Said {
  readonly by: string;
  readonly time: string;
}

function stateWords(state: Finding['state'], { by, time }: Said): string {
  if (state === 'done') return t('Mended by {by}, {time}', { by, time });
  return state === 'muted' ? t('Muted by {by}, {time}', { by, time }) : t('Known to {by}, {time}', { by, time });
}

function SaveCsv({ appId, findings }: { readonly appId: string; readonly findings: readonly Finding[] }) {
  const { data: venues = [] } = useQuery(venueNamesQuery(appId));
  const save = () => {
    const venueOf = (id: string | undefined) => venues.find(({ objectId }) => objectId === id)?.name ?? '';
    const header = ['order', 'beacon', 'venue', 'floor', 'x', 'y', 'finding', 'reason', 'since', 'state', 'by', 'at'];
    const rows = findings.map(({ location, ...one }, index) => [
      ...[String(index + 1), one.name, venueOf(one.venueId)],
      ...[location?.floor, location?.x, location?.y].map((value) => String(value ?? '')),
      ...[findingTitles[one.kind], translated(one.text), one.since, one.state, one.by ?? '', one.stateAt ?? ''],
    ]);
    download('beacons.csv', 'text/csv', [writeCsv([header, ...rows])]);
  };
  return (
    <Button leftSection={<Icon name="download" size={16} />} onClick={save}>
      {t('CSV')}
    </Button>
  );
}
