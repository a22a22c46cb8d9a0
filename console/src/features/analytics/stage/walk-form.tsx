import {
  Button,
  Checkbox,
  Group,
  NativeSelect,
  NumberInput,
  SegmentedControl,
  Stack,
  Switch,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Form } from '../../../components/form/form.tsx';
import type { Fields } from '../../../components/form/use-fields.ts';
import { FailureNote } from '../../../components/page/blocks.tsx';
import { useMay } from '../../../lib/data/access.ts';
import { call } from '../../../lib/data/api.ts';
import { t } from '../../../lib/words/words.ts';
import classes from './stage.module.css';
import { modelPrefix, type WalkFields } from './walk.ts';

interface Props {
  readonly appId: string;
  readonly fields: Fields<WalkFields>;
  readonly zone: string;
  /** The venue has several. */
  readonly hasFloors: boolean;
  readonly isBusy: boolean;
  readonly onStart: () => void;
  readonly onStop: () => void;
  /** The points of a way that is drawn. */
  readonly children: ReactNode;
}

const modes = [
  { value: 'way', label: t('Draw a way') },
  { value: 'roam', label: t('Let visitors roam') },
];

export function WalkForm(props: Props) {
  const { appId, fields, zone, hasFloors, isBusy, onStart, onStop, children } = props;
  const { values, set } = fields;
  const phones = usePhones(appId);
  return (
    <Form onSubmit={onStart}>
      <Stack gap="sm">
        <FailureNote message={fields.rest([])} />
        <SegmentedControl
          fullWidth
          aria-label={t('How visitors walk')}
          data={modes}
          value={values.mode}
          onChange={(mode) => set('mode', mode as WalkFields['mode'])}
        />
        {values.mode === 'way' ? (
          children
        ) : (
          <>
            <Group grow align="flex-start">
              <NumberInput label={t('Visitors')} min={1} max={20} {...fields.number('visitors')} />
              <NumberInput label={t('Minutes')} min={1} max={60} {...fields.number('minutes')} />
            </Group>
            {hasFloors && <Checkbox label={t('They go to the other floors, too')} {...fields.checked('allFloors')} />}
          </>
        )}
        <NativeSelect label={t('Phone')} data={phones} {...fields.text('phone')} />
        <NativeSelect
          label={t('The room is')}
          data={[
            { value: 'open', label: t('open and empty') },
            { value: 'furnished', label: t('furnished, with few people') },
            { value: 'crowded', label: t('crowded') },
          ]}
          {...fields.text('clutter')}
        />
        <Checkbox label={t('The outlines of zones are walls')} {...fields.checked('walls')} />
        <TextInput
          label={t('Day and time')}
          description={t('In {zone}', { zone })}
          type="datetime-local"
          {...fields.text('when')}
        />
        <Switch label={t('The phone can be sent a push')} {...fields.checked('canBeReached')} />
        <div className={classes.seed}>
          <TextInput
            label={t('Number of the walk')}
            description={t('The same number gives the same walk')}
            maxLength={64}
            {...fields.text('seed')}
          />
          <Button onClick={() => set('seed', String(Math.floor(Math.random() * 100_000)))}>{t('Another')}</Button>
        </div>
        <Group gap="xs">
          <Button variant="filled" type="submit" loading={isBusy}>
            {t('Start the walk')}
          </Button>
          {isBusy && (
            <Button variant="subtle" onClick={onStop}>
              {t('Cancel')}
            </Button>
          )}
        </Group>
      </Stack>
    </Form>
  );
}

/** Phones by how loud they hear, and the models about which traffic has taught something. */
function usePhones(appId: string) {
  const may = useMay();
  const { data = [] } = useQuery({
    queryKey: ['apps', appId, 'hearing', 'models'],
    queryFn: async () => (await call('listHearing', { params: { appId } })).result,
    enabled: may('installations.read'),
  });
  const models = data
    .flatMap(({ model, loss }) => (model !== undefined && loss !== null ? [model] : []))
    .sort((a, b) => a.localeCompare(b))
    .slice(0, 100);
  const usual = [
    { value: 'usual', label: t('Like most phones') },
    { value: 'loud', label: t('Hears beacons loudly') },
    { value: 'faint', label: t('Hears faintly, or is in a bag') },
  ];
  if (models.length === 0) return usual;
  return [
    { group: t('In general'), items: usual },
    {
      group: t('Models, as they were found to hear'),
      items: models.map((model) => ({ value: `${modelPrefix}${model}`, label: model })),
    },
  ];
}
