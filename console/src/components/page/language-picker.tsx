import { NativeSelect } from '@mantine/core';
import { chooseLanguage, chosenLanguage } from '../../lib/words/chosen-language.ts';
import { languages } from '../../lib/words/language.ts';
import { t } from '../../lib/words/words.ts';

/** The language of the console on this device. Choosing one loads the page again. */
export function LanguagePicker() {
  return (
    <NativeSelect
      aria-label={t('Language of the console')}
      size="xs"
      maw={220}
      value={chosenLanguage() ?? ''}
      onChange={({ currentTarget }) => chooseLanguage(currentTarget.value)}
    >
      <option value="">{t('Language of the browser')}</option>
      {languages.map(({ tag, name }) => (
        // Everybody finds their own language, whatever the page is in.
        <option key={tag} value={tag} lang={tag}>
          {name}
        </option>
      ))}
    </NativeSelect>
  );
}
