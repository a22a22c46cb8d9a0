import { SegmentedControl, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { FileField } from '../../../components/files/file-field.tsx';
import { ownFilePath } from '../../../lib/data/own-files.ts';
import { t } from '../../../lib/words/words.ts';
import classes from '../buckets.module.css';
import type { RecordRow } from './record-fields.ts';
import { RecordPicker } from './record-picker.tsx';

interface Props {
  readonly appId: string;
  readonly row: RecordRow;
  readonly zone: string;
  readonly isLocked: boolean;
  readonly error: string | undefined;
  readonly onChange: (value: RecordRow['value']) => void;
}

export function RecordInput({ appId, row, zone, isLocked, error, onChange }: Props) {
  const { name, kind, value } = row;
  const text = typeof value === 'string' ? value : value.join(', ');
  const shared = { label: name, error, readOnly: isLocked };
  const typed = { ...shared, value: text, onChange: type(onChange) };
  switch (kind) {
    case 'text':
      return <Textarea {...typed} minRows={1} maxRows={12} />;
    case 'number':
      return <TextInput {...typed} inputMode="decimal" />;
    case 'boolean':
      return <Choice {...{ name, value: text, isLocked, error, onChange }} />;
    case 'day':
      return <TextInput {...typed} type="date" />;
    case 'date':
      return <TextInput {...typed} type="datetime-local" description={t('In {zone}.', { zone })} />;
    case 'pointer':
      return (
        <RecordPicker
          appId={appId}
          label={name}
          className={row.className ?? ''}
          value={text}
          onChange={onChange}
          error={error}
          isLocked={isLocked}
        />
      );
    case 'file':
      return <File {...{ appId, name, value: text, isLocked, error, onChange }} />;
    case 'list':
      return (
        <TagsInput
          {...shared}
          description={t('Press Enter after each entry.')}
          value={[...(typeof value === 'string' ? [] : value)]}
          onChange={onChange}
          // The same text may stand in a list twice.
          allowDuplicates
          splitChars={[]}
        />
      );
    case 'json':
      return (
        <Textarea
          {...typed}
          description={t('As JSON')}
          minRows={2}
          maxRows={16}
          classNames={{ input: 'mono' }}
          spellCheck={false}
        />
      );
  }
}

const type = (onChange: Props['onChange']) => (event: { currentTarget: { value: string } }) =>
  onChange(event.currentTarget.value);

interface TextProps {
  readonly name: string;
  readonly value: string;
  readonly isLocked: boolean;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

function Choice({ name, value, isLocked, error, onChange }: TextProps) {
  return (
    <Stack gap={4} align="flex-start">
      <Text fw={600} component="span">
        {name}
      </Text>
      <SegmentedControl
        aria-label={name}
        data={[
          { value: 'true', label: t('Yes') },
          { value: 'false', label: t('No') },
          { value: '', label: t('Not set') },
        ]}
        value={value}
        readOnly={isLocked}
        onChange={onChange}
      />
      {error && <Text c="var(--mantine-color-error)">{error}</Text>}
    </Stack>
  );
}

function File({ appId, name, value, isLocked, error, onChange }: TextProps & { readonly appId: string }) {
  const path = /\.(png|jpe?g|gif|webp|avif)$/i.test(value) ? ownFilePath(value, appId) : undefined;
  return (
    <div>
      {isLocked ? (
        <TextInput label={name} value={value} readOnly />
      ) : (
        <FileField appId={appId} kind="file" label={name} value={value} error={error} onChange={onChange} />
      )}
      {path && <img className={classes.preview} src={path} alt={t('Preview of {name}', { name })} />}
    </div>
  );
}
