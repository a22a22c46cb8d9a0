import { Checkbox, Text, TextInput } from '@mantine/core';
import { DialogForm } from '../../components/form/dialog-form.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import { UserPicker } from '../../components/form/user-picker.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMay } from '../../lib/data/access.ts';
import { dataKey, dataOf } from '../../lib/data/api.ts';
import { type HeardTag, nameOfHeard, nearbyKeys, numbersOf, registerTag, rulesQuery } from '../../lib/fleet/nearby.ts';
import { t } from '../../lib/words/words.ts';
import { saveRule } from './adoption-rules.tsx';

export interface Adopted {
  readonly heard: HeardTag;
  readonly as: 'beacon' | 'person' | 'thing';
}

interface Props {
  readonly appId: string;
  readonly adopted: Adopted;
  readonly onClose: () => void;
}

/** How many beacons a rule from here adds. */
const maxBeacons = 200;

/** Makes a beacon or a tag of what was heard. */
export function AdoptDialog({ appId, adopted: { heard, as }, onClose }: Props) {
  const maySeeUsers = useMay()('users.read');
  const form = useFields({ name: nameOfHeard(heard).slice(0, 50), userId: '', isRule: false });
  const numbers = numbersOf(heard);
  const adopt = useAction({
    run: async () => {
      const { name, userId, isRule } = form.current();
      if (as !== 'beacon' || !numbers)
        return registerTag(appId, {
          tag: heard.tag,
          name,
          userId: as === 'person' && userId !== '' ? userId : undefined,
        });
      await dataOf(appId).beacons.create({ name, ...numbers });
      if (isRule) await saveRule(appId, { uuid: numbers.uuid, maxBeacons });
      return undefined;
    },
    done: t('{name} is known from now on.', { name: form.values.name }),
    refresh: [
      ...nearbyKeys(appId),
      rulesQuery(appId).queryKey,
      ...(['listBeacons', 'listInstallations'] as const).map((operation) => dataKey(appId, operation)),
    ],
    showsError: true,
    after: onClose,
  });
  return (
    <DialogForm
      isOpen
      onClose={onClose}
      title={titles[as]()}
      form={form}
      names={['name', 'userId']}
      submit={t('Save')}
      isBusy={adopt.isPending}
      onSubmit={() => adopt.mutate(undefined, { onError: form.setFailure })}
      about={<Text className="mono">{heard.tag}</Text>}
    >
      <TextInput label={t('Name')} required maxLength={50} data-autofocus {...form.text('name')} />
      {as === 'person' && maySeeUsers && (
        <UserPicker
          appId={appId}
          label={t('Who wears it, if they have an account')}
          value={form.values.userId || undefined}
          error={form.problem('userId')}
          onChange={(userId) => form.set('userId', userId ?? '')}
        />
      )}
      {as === 'beacon' && (
        <Checkbox
          label={t('Add all others with this UUID automatically')}
          description={t('When a gateway hears them, until the app has {count} of them', { count: maxBeacons })}
          {...form.checked('isRule')}
        />
      )}
    </DialogForm>
  );
}

const titles: Readonly<Record<Adopted['as'], () => string>> = {
  beacon: () => t('Take over as a beacon'),
  person: () => t('Take over as a tag that somebody wears'),
  thing: () => t('Take over as a tag on a thing'),
};
