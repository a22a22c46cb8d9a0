import { NativeSelect } from '@mantine/core';
import { languageName, type Translations } from '../../lib/text/languages.ts';
import { t } from '../../lib/words/words.ts';

interface Props {
  readonly language: string;
  readonly translations: Translations;
  /** The language of the preview; undefined: the message itself. */
  readonly value: string | undefined;
  readonly onChange: (tag: string | undefined) => void;
}

/** The language of the preview and of the test on the editor's own phone. */
export function PreviewLanguage({ language, translations, value, onChange }: Props) {
  const tags = Object.keys(translations);
  if (tags.length === 0) return null;
  return (
    <NativeSelect
      size="xs"
      label={t('Seen by somebody who reads')}
      data={[
        { value: '', label: language ? languageName(language) : t('none of the translations') },
        ...tags.map((tag) => ({ value: tag, label: languageName(tag) })),
      ]}
      value={value !== undefined && tags.includes(value) ? value : ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
    />
  );
}
