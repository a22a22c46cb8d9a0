import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from '../../../components/form/form.tsx';
import { Icon } from '../../../components/page/blocks.tsx';
import { useMay } from '../../../lib/data/access.ts';
import { secretKeysQuery } from '../../../lib/data/queries.ts';
import { roundPoint } from '../../../lib/plan/floor-geometry.ts';
import { showAge } from '../../../lib/time/times.ts';
import { t } from '../../../lib/words/words.ts';
import { MetreInputs, type TypedPoint } from '../metre-inputs.tsx';
import classes from '../venues.module.css';
import type { DrawnGateway, GatewayEdit } from './gateways.ts';

interface Props {
  readonly appId: string;
  readonly gateway: DrawnGateway;
  /** Of the other gateways of the floor. */
  readonly taken: readonly string[];
  readonly mayEdit: boolean;
  readonly onChange: (change: GatewayEdit) => void;
  readonly onRemove: () => void;
}

export function GatewayPanel({ appId, gateway, taken, mayEdit, onChange, onRemove }: Props) {
  const [name, setName] = useState(gateway.name);
  const [keyId, setKeyId] = useState(gateway.keyId);
  const [place, setPlace] = useState<TypedPoint>({ x: gateway.x, y: gateway.y });
  const isTaken = taken.includes(name.trim());
  const isWhole = name.trim() !== '' && !isTaken && typeof place.x === 'number' && typeof place.y === 'number';
  function submit() {
    if (!isWhole) return;
    onChange({ name: name.trim(), ...roundPoint({ x: Number(place.x), y: Number(place.y) }), keyId });
  }
  return (
    <Stack gap="xs">
      <h3>{gateway.name}</h3>
      <Text c="dimmed">{t('A receiver that reports to the service. It is only drawn, so that people find it.')}</Text>
      <Form onSubmit={submit}>
        <TextInput
          label={t('Name')}
          maxLength={100}
          readOnly={!mayEdit}
          value={name}
          error={isTaken ? t('Another gateway of this floor has this name.') : undefined}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <div className={classes.pair}>
          <MetreInputs step={0.1} readOnly={!mayEdit} value={place} onChange={setPlace} />
        </div>
        <KeyField appId={appId} value={keyId} mayEdit={mayEdit} onChange={setKeyId} />
        {mayEdit && (
          <Group mt="xs" gap="xs">
            <Button type="submit" size="xs" disabled={!isWhole}>
              {t('Save')}
            </Button>
            <Button size="xs" leftSection={<Icon name="trash" size={14} />} onClick={onRemove}>
              {t('Delete the receiver')}
            </Button>
          </Group>
        )}
      </Form>
    </Stack>
  );
}

interface KeyProps {
  readonly appId: string;
  readonly value: string | undefined;
  readonly mayEdit: boolean;
  readonly onChange: (keyId: string | undefined) => void;
}

/** Whoever may not see the app's keys sees only that there is one. */
function KeyField({ appId, value, mayEdit, onChange }: KeyProps) {
  const maySee = useMay()('keys.read');
  const { data: keys } = useQuery({ ...secretKeysQuery(appId), enabled: maySee });
  if (!maySee) return value && <Text>{t('It sends a secret key of the app.')}</Text>;
  if (!keys) return null;
  const chosen = keys.find((key) => key.keyId === value);
  const revoked = value && !chosen ? [{ value, label: t('A key that was revoked') }] : [];
  const use = chosen?.lastUsedAt ? t('last used {age}', { age: showAge(chosen.lastUsedAt) }) : t('never used');
  return (
    <Select
      label={t('Secret key')}
      description={chosen ? use : t('Which one it sends. Several gateways may share one.')}
      placeholder={t('None')}
      data={[...revoked, ...keys.map((key) => ({ value: key.keyId, label: `${key.name} …${key.hint}` }))]}
      value={value ?? null}
      readOnly={!mayEdit}
      onChange={(next) => onChange(next ?? undefined)}
      searchable
      clearable={mayEdit}
    />
  );
}
