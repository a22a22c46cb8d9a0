import { Box, Button, Group, NativeSelect, NumberInput, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import type { Zone } from '@pharos/sdk';
import { useState } from 'react';
import { OwnerBlock } from '../../../components/owner/owner-block.tsx';
import { Icon } from '../../../components/page/blocks.tsx';
import { dataOf } from '../../../lib/data/api.ts';
import { planKeys } from '../../../lib/data/venue-queries.ts';
import { areaText } from '../../../lib/plan/floor-geometry.ts';
import { inSentence, pageLanguage, t } from '../../../lib/words/words.ts';
import { kindTexts } from '../venue-fields.ts';
import classes from '../venues.module.css';
import { Corners } from './corners.tsx';
import type { ZoneChange } from './use-floor.ts';

/** What is on the floor, as lists and numbers: everything that can be dragged can be chosen and typed here. */

interface Item {
  readonly id: string;
  readonly name: string;
  readonly note: string;
}

interface ItemsProps {
  readonly title: string;
  readonly items: readonly Item[];
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
}

const maxItems = 200;

export function Items({ title, items, selected, onSelect }: ItemsProps) {
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const found = items
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .toSorted((a, b) => a.name.localeCompare(b.name, pageLanguage()));
  return (
    <section aria-label={title}>
      <h3>
        {title} · {items.length}
      </h3>
      {items.length > 12 && (
        <TextInput
          type="search"
          size="xs"
          mb={6}
          aria-label={t('Search the {title}', { title: inSentence(title) })}
          placeholder={t('Search')}
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls is reached with the keyboard */}
      <ul className={classes.items} tabIndex={0} aria-label={title}>
        {found.slice(0, maxItems).map(({ id, name, note }) => (
          <li key={id}>
            <UnstyledButton className={classes.item} aria-pressed={id === selected} onClick={() => onSelect(id)}>
              <span>{name}</span>
              <Box component="span" c="dimmed" fz="0.92rem">
                {note}
              </Box>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {found.length > maxItems && (
        <Text c="dimmed">{t('And {count} more: search for them.', { count: found.length - maxItems })}</Text>
      )}
    </section>
  );
}

/** What is stored, or what is typed in its place: that stays when something else arrives in the meantime. */
function useTyped<T extends string | number>(stored: T) {
  const [known, setKnown] = useState(stored);
  const [typed, setTyped] = useState(stored);
  if (stored !== known) {
    setKnown(stored);
    if (typed === known) setTyped(stored);
  }
  return [typed, setTyped] as const;
}

/** The highest limit of visitors that a zone can have. */
const maxAtOnce = 1_000_000;

interface ZonePanelProps {
  readonly appId: string;
  readonly zone: Zone;
  readonly mayEdit: boolean;
  readonly onChange: (change: ZoneChange, refused?: () => void) => void;
  readonly onCopy: () => void;
  readonly onRemove: () => void;
}

export function ZonePanel({ appId, zone, mayEdit, onChange, onCopy, onRemove }: ZonePanelProps) {
  const [name, setName] = useTyped(zone.name);
  const [capacity, setCapacity] = useTyped<number | string>(zone.capacity ?? '');
  const isOut = typeof capacity === 'number' && (capacity < 1 || capacity > maxAtOnce);
  const limit = () => {
    if (isOut) return;
    const most = typeof capacity === 'number' ? capacity : null;
    if (most !== (zone.capacity ?? null)) onChange({ capacity: most });
  };
  const rename = () => name.trim() !== '' && name.trim() !== zone.name && onChange({ name: name.trim() });
  return (
    <Stack gap="xs">
      <h3>{zone.name}</h3>
      <Text c="dimmed">
        {t('{area}, {count} corners', { area: areaText(zone.polygon), count: zone.polygon.length })}
      </Text>
      <TextInput
        label={t('Name of the zone')}
        maxLength={100}
        readOnly={!mayEdit}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        onBlur={rename}
        onKeyDown={({ key }) => key === 'Enter' && rename()}
      />
      <NativeSelect
        label={t('What it is for')}
        disabled={!mayEdit}
        data={Object.entries(kindTexts).map(([value, label]) => ({ value, label }))}
        value={zone.kind}
        onChange={({ currentTarget }) => onChange({ kind: currentTarget.value as Zone['kind'] })}
      />
      <NumberInput
        label={t('Visitors at once, at most')}
        description={t(
          'When there are more, an alarm is told. Counted are visitors whose phones are heard. Empty: no limit.',
        )}
        readOnly={!mayEdit}
        min={1}
        max={maxAtOnce}
        error={isOut && t('From 1 to {most, number}, or empty.', { most: maxAtOnce })}
        allowDecimal={false}
        hideControls
        value={capacity}
        onChange={setCapacity}
        onBlur={limit}
        onKeyDown={({ key }) => key === 'Enter' && limit()}
      />
      {mayEdit && (
        <Corners
          points={zone.polygon}
          fewest={3}
          onChange={(polygon, refused) => onChange({ polygon: [...polygon] }, refused)}
        />
      )}
      {mayEdit && (
        <Group gap="xs">
          <Button size="xs" leftSection={<Icon name="copy" size={14} />} onClick={onCopy}>
            {t('Duplicate')}
          </Button>
          <Button size="xs" leftSection={<Icon name="trash" size={14} />} onClick={onRemove}>
            {t('Delete the zone')}
          </Button>
        </Group>
      )}
      <OwnerBlock
        appId={appId}
        title={t('Owner of the zone')}
        name={zone.name}
        createdBy={zone.createdBy}
        operation="updateZoneOwner"
        rules={{ group: 'resources', name: 'zones' }}
        read={() => dataOf(appId).zones.get(zone.objectId)}
        handOver={(userId, how) => dataOf(appId).zones.handOver(zone.objectId, userId, how)}
        refresh={planKeys(appId)}
      />
    </Stack>
  );
}
