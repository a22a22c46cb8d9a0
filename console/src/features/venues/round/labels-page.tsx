import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { QrCode } from '../../../components/code/qr-code.tsx';
import { FailureNote } from '../../../components/page/blocks.tsx';
import { BackLink, PageHeader } from '../../../components/page/page-header.tsx';
import { venueBeaconsQuery, venueQuery } from '../../../lib/data/venue-queries.ts';
import { pageLanguage, t } from '../../../lib/words/words.ts';
import { labelText } from './match.ts';
import classes from './round.module.css';

const route = getRouteApi('/signed-in/apps/$appId/beacons/venues/$venueId/labels');

/** A sheet of labels: a code that opens the page of the beacon, with its name and numbers. */
export function LabelsPage() {
  const { appId, venueId } = route.useParams();
  const { data: venue, error: missing } = useQuery(venueQuery(appId, venueId));
  const { data: beacons = [], error } = useQuery(venueBeaconsQuery(appId, venueId));
  const sorted = beacons.toSorted((a, b) => a.name.localeCompare(b.name, pageLanguage(), { numeric: true }));
  return (
    <>
      <PageHeader
        title={t('Labels to print')}
        action={
          <Button variant="filled" onClick={() => print()}>
            {t('Print')}
          </Button>
        }
        back={
          <BackLink
            label={venue?.name ?? t('The venue')}
            to="/apps/$appId/beacons/venues/$venueId"
            params={{ appId, venueId }}
          />
        }
      >
        {t(
          'One for each beacon of the venue, to stick on it. The install round scans them; with any other camera they open the page of the beacon, for those who may sign in.',
        )}
      </PageHeader>
      <FailureNote message={(missing ?? error)?.message} />
      <ul className={classes.labels}>
        {sorted.map((beacon) => (
          <li key={beacon.objectId} className={classes.label}>
            <QrCode
              text={labelText(location.origin, appId, beacon)}
              label={t('QR code of {name}', { name: beacon.name })}
            />
            <strong>{beacon.name}</strong>
            <span>
              {beacon.major}, {beacon.minor}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
