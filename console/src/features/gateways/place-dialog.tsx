import { Select, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DialogForm } from '../../components/form/dialog-form.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import { useAction } from '../../lib/actions/use-action.ts';
import { dataKey } from '../../lib/data/api.ts';
import { allFloorsQuery, venueNamesQuery } from '../../lib/data/venue-queries.ts';
import { gatewaysQuery } from '../../lib/fleet/gateways.ts';
import { nearbyKeys, placeGateway } from '../../lib/fleet/nearby.ts';
import { t } from '../../lib/words/words.ts';

interface Props {
  readonly appId: string;
  readonly gatewayId: string;
  readonly onClose: () => void;
}

/** Makes a gateway of a floor of what has reported and hangs nowhere yet. */
export function PlaceDialog({ appId, gatewayId, onClose }: Props) {
  const { data: floors = [] } = useQuery(allFloorsQuery(appId));
  const { data: venues = [] } = useQuery(venueNamesQuery(appId));
  const form = useFields({ name: gatewayId.slice(0, 50), floorId: '' });
  // Where there is only one floor, nobody has to choose it.
  const floor =
    floors.find(({ objectId }) => objectId === form.values.floorId) ?? (floors.length === 1 ? floors[0] : undefined);
  const venueOf = (id: string) => venues.find(({ objectId }) => objectId === id)?.name ?? '';
  const place = useAction({
    run: async () => floor && placeGateway(appId, floor, { gatewayId, name: form.values.name }),
    done: t('{name} hangs in the middle of the floor. Move it on the plan.', { name: form.values.name }),
    refresh: [gatewaysQuery(appId).queryKey, dataKey(appId, 'listBeacons'), ...nearbyKeys(appId)],
    showsError: true,
    after: onClose,
  });
  function submit() {
    if (!floor) return form.setProblems([{ field: 'floorId', problem: t('is missing') }]);
    place.mutate(undefined, { onError: form.setFailure });
  }
  return (
    <DialogForm
      isOpen
      onClose={onClose}
      title={t('Put {name} on a floor', { name: gatewayId })}
      form={form}
      names={['name', 'floorId']}
      submit={t('Save')}
      isBusy={place.isPending}
      onSubmit={submit}
      about={<Text>{t('What it hears counts for this place.')}</Text>}
    >
      <Select
        label={t('Floor')}
        required
        searchable
        data={floors.map(({ objectId, name, venueId }) => ({
          value: objectId,
          label: `${venueOf(venueId.objectId)} · ${name}`,
        }))}
        value={floor?.objectId ?? null}
        error={form.problem('floorId')}
        onChange={(next) => form.set('floorId', next ?? '')}
        nothingFoundMessage={t('Draw a floor of a venue first.')}
      />
      <TextInput label={t('Name')} required maxLength={50} {...form.text('name')} />
    </DialogForm>
  );
}
