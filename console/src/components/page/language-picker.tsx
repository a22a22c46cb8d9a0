import { NativeSelect, Select } from '@mantine/core';
import { useSession } from '../../lib/data/access.ts';
import { chooseZone, chosenZone, zones } from '../../lib/time/service-times.ts';
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

/** The zone of pages above the apps, on this device. Choosing one loads the page again. */
export function ZonePicker() {
  const { timeZone } = useSession();
  return (
    <Select
      aria-label={t('Time zone of the console')}
      size="xs"
      maw={320}
      data={[{ value: '', label: t('Time zone of the service ({timeZone})', { timeZone }) }, ...zones]}
      value={chosenZone() ?? ''}
      allowDeselect={false}
      searchable
      nothingFoundMessage={t('No zone has this name.')}
      onChange={(zone) => zone !== null && chooseZone(zone)}
    />
  );
}
