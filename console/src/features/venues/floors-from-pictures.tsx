import { Button, FileButton, Group, Modal, NumberInput, Stack, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Form } from '../../components/form/form.tsx';
import { FailureNote, Icon } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { dataOf } from '../../lib/data/api.ts';
import { withSession } from '../../lib/data/signing-in.ts';
import { planKeys, pointer } from '../../lib/data/venue-queries.ts';
import { pageLanguage, t } from '../../lib/words/words.ts';
import { measurePlan, uploadPlan } from './floor/read-plan.ts';
import classes from './venues.module.css';

interface Props {
  readonly appId: string;
  readonly venueId: string;
  /** Of the first new floor. */
  readonly level: number;
}

interface Draft {
  readonly file: File;
  readonly pixels: number;
  readonly name: string;
  readonly level: number | string;
}

/** `2_First floor.png` -> `2 First floor` */
const nameOf = ({ name }: File) =>
  name
    .replace(/\.\w+$/, '')
    .replaceAll('_', ' ')
    .trim()
    .slice(0, 100);

export function FloorsFromPictures({ appId, venueId, level }: Props) {
  const [drafts, setDrafts] = useState<readonly Draft[]>([]);
  const [problems, setProblems] = useState<readonly string[]>([]);
  async function take(files: readonly File[]) {
    const sorted = files.toSorted((a, b) => a.name.localeCompare(b.name, pageLanguage(), { numeric: true }));
    const found: Draft[] = [];
    const refused: string[] = [];
    for (const file of sorted) {
      try {
        const { width } = await measurePlan(file);
        found.push({ file, pixels: width, name: nameOf(file), level: level + found.length });
      } catch (error) {
        refused.push((error as Error).message);
      }
    }
    setProblems(refused);
    setDrafts(found);
  }
  const close = () => {
    setDrafts([]);
    setProblems([]);
  };
  return (
    <>
      <FileButton multiple accept="image/png,image/jpeg,image/webp" onChange={(files) => void take(files)}>
        {(props) => (
          <Button {...props} leftSection={<Icon name="picture" size={16} />}>
            {t('Add floors from pictures')}
          </Button>
        )}
      </FileButton>
      <Modal
        opened={drafts.length + problems.length > 0}
        onClose={close}
        title={t('Add floors from pictures')}
        size="lg"
      >
        <FloorsForm
          appId={appId}
          venueId={venueId}
          drafts={drafts}
          problem={problems.join(' ')}
          onChange={setDrafts}
          onClose={close}
        />
      </Modal>
    </>
  );
}

interface FormProps extends Omit<Props, 'level'> {
  readonly drafts: readonly Draft[];
  readonly problem: string;
  readonly onChange: (drafts: readonly Draft[]) => void;
  readonly onClose: () => void;
}

function FloorsForm({ appId, venueId, drafts, problem, onChange, onClose }: FormProps) {
  const [widest, setWidest] = useState<number | string>('');
  // Of all that were chosen: the widest one may be there already when the others are tried again.
  const [maxPixels] = useState(() => Math.max(...drafts.map(({ pixels }) => pixels)));
  // A single one is opened, to put beacons on it.
  const [isOne] = useState(drafts.length === 1);
  const navigate = useNavigate();
  const add = useAction({
    run: async () => {
      let [rest, floorId] = [drafts, ''];
      for (const draft of drafts) {
        floorId = await withSession(() => addFloor(appId, venueId, draft, scaleFor(maxPixels, widest)));
        // What is there is not added again, if a later one fails.
        rest = rest.filter((one) => one !== draft);
        onChange(rest);
      }
      return floorId;
    },
    done: t('The floors are added.'),
    refresh: planKeys(appId),
    showsError: true,
    after: (floorId) => {
      onClose();
      if (isOne)
        void navigate({
          to: '/apps/$appId/beacons/venues/$venueId/floors/$floorId',
          params: { appId, venueId, floorId },
        });
    },
  });
  const set = (at: number, change: Partial<Draft>) =>
    onChange(drafts.map((draft, index) => (index === at ? { ...draft, ...change } : draft)));
  const isWhole = drafts.length > 0 && drafts.every(({ name, level }) => name.trim() !== '' && level !== '');
  return (
    <Form onSubmit={() => add.mutate()}>
      <Stack>
        <FailureNote message={problem} />
        <FailureNote message={add.error?.message} />
        {drafts.map((draft, at) => (
          <div key={draft.file.name} className={classes.pair}>
            <TextInput
              label={t('Name of floor {number}', { number: at + 1 })}
              maxLength={100}
              value={draft.name}
              onChange={({ currentTarget }) => set(at, { name: currentTarget.value })}
            />
            <NumberInput
              label={t('Level of floor {number}', { number: at + 1 })}
              hideControls
              value={draft.level}
              onChange={(level) => set(at, { level })}
            />
          </div>
        ))}
        {drafts.length > 0 && (
          <NumberInput
            label={t('Width of the widest picture')}
            description={t('In metres, if all have the same scale. Else leave it empty and measure on each floor.')}
            min={0}
            hideControls
            value={widest}
            onChange={setWidest}
          />
        )}
        <Group justify="flex-end" gap="0.6rem" wrap="nowrap">
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button variant="filled" type="submit" disabled={!isWhole} loading={add.isPending}>
            {t('{count, plural, one {Add # floor} other {Add # floors}}', { count: drafts.length })}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

/** Metres per pixel; undefined: not stated. */
function scaleFor(maxPixels: number, widest: number | string): number | undefined {
  return typeof widest === 'number' && widest > 0 ? widest / maxPixels : undefined;
}

async function addFloor(appId: string, venueId: string, draft: Draft, metresPerPixel: number | undefined) {
  const plan = await uploadPlan(appId, draft.file);
  const scale = metresPerPixel && {
    from: { x: 0, y: 0 },
    to: { x: plan.width, y: 0 },
    metres: plan.width * metresPerPixel,
  };
  const { objectId } = await dataOf(appId).floors.create({
    venueId: pointer('Venue', venueId),
    name: draft.name.trim(),
    level: Number(draft.level),
    plan,
    ...(scale ? { scale } : {}),
  });
  return objectId;
}
