import { Button, FileButton, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMayCall } from '../../lib/data/access.ts';
import { dataKey, dataOf } from '../../lib/data/api.ts';
import { t } from '../../lib/words/words.ts';
import { Icon } from '../page/blocks.tsx';
import { FileChooser, type FileKind } from './file-chooser.tsx';

interface Props {
  readonly appId: string;
  readonly label: string;
  readonly description?: string;
  readonly kind: FileKind;
  readonly value: string;
  readonly onChange: (address: string) => void;
  readonly error?: string | undefined;
  readonly required?: boolean;
}

/** The address of a picture, video or any file: uploaded here, chosen from the app's files, or anywhere on the web. */
export function FileField({ appId, label, description, kind, value, onChange, error, required = false }: Props) {
  const [isChoosing, setChoosing] = useState(false);
  const mayUpload = useMayCall()('uploadFile');
  const upload = useAction({
    run: (file: File) => dataOf(appId).files.upload(file.name, file, file.type || 'application/octet-stream'),
    done: (_stored, file) => t('{name} is uploaded.', { name: file.name }),
    refresh: [dataKey(appId, 'listFiles')],
    after: ({ url }) => onChange(url),
  });
  return (
    <div>
      <TextInput
        label={label}
        description={description}
        required={required}
        placeholder="https://"
        type="url"
        value={value}
        error={error}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <Group gap="xs" mt={6}>
        {mayUpload && (
          <FileButton
            {...(kind === 'file' ? {} : { accept: `${kind}/*` })}
            onChange={(file) => file && upload.mutate(file)}
          >
            {(props) => (
              <Button {...props} size="xs" loading={upload.isPending} leftSection={<Icon name="upload" size={14} />}>
                {t('Upload')}
              </Button>
            )}
          </FileButton>
        )}
        <Button size="xs" onClick={() => setChoosing(true)}>
          {t('Choose a file')}
        </Button>
        {value !== '' && !required && (
          <Button size="xs" variant="subtle" color="gray" onClick={() => onChange('')}>
            {t('Remove')}
          </Button>
        )}
      </Group>
      <FileChooser
        appId={appId}
        kind={kind}
        isOpen={isChoosing}
        onClose={() => setChoosing(false)}
        onChoose={(address) => {
          onChange(address);
          setChoosing(false);
        }}
      />
    </div>
  );
}
