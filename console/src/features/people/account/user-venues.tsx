import { MultiSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { SettingsForm } from '../../../components/form/page-form.tsx';
import { useRecordForm } from '../../../components/form/use-record-form.ts';
import { Block } from '../../../components/page/blocks.tsx';
import { call } from '../../../lib/data/api.ts';
import { deletedVenue, venueNames, venueNamesQuery } from '../../../lib/data/venue-queries.ts';
import { userName } from '../../../lib/text/user-name.ts';
import type { AppUser } from '../../../lib/wire.ts';
import { t } from '../../../lib/words/words.ts';
import { userKeys } from '../queries.ts';

interface Props {
  readonly appId: string;
  readonly user: AppUser;
  readonly isLocked: boolean;
}

interface Named {
  readonly objectId: string;
  readonly name: string;
}

/** The venues to which a user belongs. An app without venues does not speak of them. */
export function UserVenues({ appId, user, isLocked }: Props) {
  const { data: venues } = useQuery(venueNamesQuery(appId));
  if (!venues || (venues.length === 0 && user.venueIds.length === 0)) return null;
  return (
    <Block
      title={t('Venues')}
      about={t(
        'To which this person belongs, such as a guide to one house. It changes something only where rules speak of it.',
      )}
    >
      {isLocked ? (
        <Text>{venueNames(venues, user.venueIds)}</Text>
      ) : (
        <VenueForm appId={appId} user={user} venues={venues} />
      )}
    </Block>
  );
}

interface FormProps {
  readonly appId: string;
  readonly user: AppUser;
  readonly venues: readonly Named[];
}

function VenueForm({ appId, user, venues }: FormProps) {
  const params = { appId, userId: user.objectId };
  const shared = useRecordForm<AppUser, Pick<AppUser, 'venueIds'>, object>({
    name: `user venues ${user.objectId}`,
    record: user,
    read: async () => (await call('getAppUser', { params })).result,
    refresh: userKeys(appId),
    fieldsOf: ({ venueIds } = user) => ({ venueIds }),
    bodyOf: ({ venueIds }) => ({ venueIds }),
    change: async (body, ifMatch) => (await call('changeAppUser', { params, body, ifMatch })).result,
    done: t('The venues of {name} are saved.', { name: userName(user) }),
    labels: { venueIds: t('Venues') },
    show: { venueIds: (ids: readonly string[]) => venueNames(venues, ids) },
  });
  const { form } = shared;
  const gone = form.values.venueIds.filter((id) => !venues.some(({ objectId }) => objectId === id));
  return (
    <SettingsForm shared={shared} names={['venueIds', 'venueIds.']} submit={t('Save the venues')}>
      <MultiSelect
        label={t('Belongs to')}
        placeholder={form.values.venueIds.length === 0 ? t('No venue') : ''}
        data={[
          ...venues.map(({ objectId, name }) => ({ value: objectId, label: name })),
          ...gone.map((id) => ({ value: id, label: deletedVenue() })),
        ]}
        value={[...form.values.venueIds]}
        error={form.problemWithin('venueIds')}
        // In the order in which the service keeps them, so that the same choice is no change.
        onChange={(ids) => form.set('venueIds', ids.toSorted())}
        nothingFoundMessage={t('No venue has this name.')}
        maw={640}
        mb={form.isDirty ? 'md' : 0}
        searchable
        hidePickedOptions
        clearable
      />
    </SettingsForm>
  );
}
