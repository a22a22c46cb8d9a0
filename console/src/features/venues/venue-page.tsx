import { Box, Group, Text } from '@mantine/core';
import type { Venue } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ShowRequest } from '../../components/code/show-request.tsx';
import { Deletion } from '../../components/dialogs/confirm-dialog.tsx';
import { OwnerBlock } from '../../components/owner/owner-block.tsx';
import { Block, LinkButton } from '../../components/page/blocks.tsx';
import { Fact, Facts } from '../../components/page/facts.tsx';
import { EditOrDelete, once, RecordPage } from '../../components/page/page-header.tsx';
import { dayLabels as dayTexts, week as weekDays } from '../../components/rules/days.ts';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { floorsQuery, venueKeys, venueQuery } from '../../lib/data/venue-queries.ts';
import { useTimes } from '../../lib/time/times.ts';
import { pageLanguage, rich, t } from '../../lib/words/words.ts';
import { FloorsBlock } from './floors-block.tsx';
import { PlanFiles } from './plan-files.tsx';
import { dayText, hoursText } from './venue-fields.ts';
import { VenueToday } from './venue-today.tsx';
import classes from './venues.module.css';

const route = getRouteApi('/signed-in/apps/$appId/beacons/venues/$venueId');

export function VenuePage() {
  const { appId, venueId } = route.useParams();
  const query = once(useQuery(venueQuery(appId, venueId)), useQuery(floorsQuery(appId, venueId)));
  const may = useMayCall();
  const mayChange = may('updateVenue');
  const edit = { to: '/apps/$appId/beacons/venues/$venueId/edit', params: { appId, venueId } };
  const copy = { to: '/apps/$appId/beacons/venues/new', params: { appId }, from: venueId };
  return (
    <RecordPage
      query={query}
      title={(venue) => venue?.name ?? t('Venue')}
      all={{ label: t('All venues'), to: '/apps/$appId/beacons/venues', params: { appId } }}
      action={(venue) => (
        <Group gap="xs">
          {may('verifyPlacement') && (
            <LinkButton
              to="/apps/$appId/beacons/venues/$venueId/round"
              params={{ appId, venueId }}
              icon="check"
              isPlain
            >
              {t('Install round')}
            </LinkButton>
          )}
          {mayChange && (
            <EditOrDelete
              edit={edit}
              {...(may('createVenue') ? { copy } : {})}
              deletion={<DeleteVenue appId={appId} venue={venue} />}
            />
          )}
        </Group>
      )}
    >
      {(venue) => (
        <>
          <VenueToday appId={appId} venue={venue} />
          <FloorsBlock appId={appId} venueId={venueId} />
          <HoursBlock appId={appId} venue={venue} />
          <OwnerBlock
            appId={appId}
            name={venue.name}
            createdBy={venue.createdBy}
            operation="updateVenueOwner"
            rules={{ group: 'resources', name: 'venues' }}
            read={() => dataOf(appId).venues.get(venueId)}
            handOver={(userId, how) => dataOf(appId).venues.handOver(venueId, userId, how)}
            refresh={venueKeys(appId)}
          />
          <Group justify="flex-end" mt="xs" gap="xs">
            <PlanFiles appId={appId} venue={venue} mayImport={mayChange} />
            <ShowRequest appId={appId} request={{ operation: 'getVenue', params: { objectId: venueId } }} />
          </Group>
        </>
      )}
    </RecordPage>
  );
}

function DeleteVenue({ appId, venue }: { readonly appId: string; readonly venue: Venue }) {
  const venueId = venue.objectId;
  return (
    <Deletion
      title={t('Delete the venue')}
      confirm={t('Delete {name}', { name: venue.name })}
      run={() => dataOf(appId).venues.delete(venueId)}
      done={t('{name} was deleted.', { name: venue.name })}
      refresh={venueKeys(appId)}
      leave={{
        to: '/apps/$appId/beacons/venues',
        params: { appId },
        forget: venueQuery(appId, venueId).queryKey,
      }}
    >
      {rich(
        '<b>{name}</b> is deleted permanently, with its hours and holidays. A venue that still has floors or beacons is not deleted.',
        { name: venue.name },
      )}
    </Deletion>
  );
}

const maxDays = 8;

function HoursBlock({ appId, venue }: { readonly appId: string; readonly venue: Venue }) {
  const { zone } = useTimes(appId);
  const { openingHours, exceptions, timeZone, address, location, capacity } = venue;
  const today = new Date().toISOString().slice(0, 10);
  const coming = exceptions.filter(({ date }) => date >= today).toSorted((a, b) => (a.date < b.date ? -1 : 1));
  return (
    <Block
      title={t('Opening hours')}
      about={t('By the clock in {timeZone}{hasTimeZone, select, true {} other {, the time zone of the app}}.', {
        timeZone: timeZone ?? zone,
        hasTimeZone: Boolean(timeZone),
      })}
    >
      {!openingHours && (
        <Text c="dimmed">
          {t('Nobody has said when it is open. Messages that keep to the opening hours are shown at any time.')}
        </Text>
      )}
      <div className={classes.columns}>
        {openingHours && (
          <table className={classes.hours} aria-label={t('The week')}>
            <tbody>
              {weekDays.map((day) => (
                <tr key={day}>
                  <th scope="row">{dayTexts[day]}</th>
                  <td>{hoursText(openingHours.filter(({ dayName }) => dayName === day))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {coming.length > 0 && (
          <table className={classes.hours} aria-label={t('Coming holidays and other days')}>
            <tbody>
              {coming.slice(0, maxDays).map(({ date, name, hours }) => (
                <tr key={date}>
                  <th scope="row">{dayText(date)}</th>
                  <td>
                    {hoursText(hours)}{' '}
                    {name && (
                      <Box component="span" c="dimmed" fz="0.92rem">
                        {name}
                      </Box>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
      {coming.length > maxDays && (
        <Text c="dimmed" mt="xs">
          {t('And {count} more days.', { count: coming.length - maxDays })}
        </Text>
      )}
      {(address || location || capacity) && (
        <Box mt="1.2rem">
          <Facts>
            {address && <Fact label={t('Address')}>{address}</Fact>}
            {capacity && <Fact label={t('Visitors at once, at most')}>{capacity.toLocaleString(pageLanguage())}</Fact>}
            {location && (
              <Fact label={t('Coordinates')}>
                {location.latitude}, {location.longitude}
              </Fact>
            )}
          </Facts>
        </Box>
      )}
    </Block>
  );
}
