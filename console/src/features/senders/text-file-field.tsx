import { Button, FileButton, Group, Textarea } from '@mantine/core';
import { type DragEvent, useState } from 'react';
import { Icon } from '../../components/page/blocks.tsx';
import { t } from '../../lib/words/words.ts';
import classes from './senders.module.css';

interface Props {
  readonly label: string;
  readonly description?: string | undefined;
  readonly accept: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly error: string | undefined;
}

/** Text from a file: dropped, chosen or pasted. */
export function TextFileField({ label, description, accept, value, onChange, error }: Props) {
  const [isOver, setOver] = useState(false);
  const read = async (file: File | null | undefined) => {
    if (file) onChange(await file.text());
  };
  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    void read(event.dataTransfer.files[0]);
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut; the button below does the same
    <div
      className={isOver ? classes.over : undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Textarea
        label={label}
        description={description}
        required
        minRows={3}
        maxRows={8}
        spellCheck={false}
        autoComplete="off"
        classNames={{ input: 'mono' }}
        value={value}
        error={error}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <Group mt={6}>
        <FileButton accept={accept} onChange={(file) => void read(file)}>
          {(props) => (
            <Button {...props} size="xs" leftSection={<Icon name="upload" size={14} />}>
              {t('Choose the file')}
            </Button>
          )}
        </FileButton>
      </Group>
    </div>
  );
}
