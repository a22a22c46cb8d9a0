import { Select } from '@mantine/core';
import { useSession } from '../../lib/data/access.ts';
import { chooseZone, chosenZone, zones } from '../../lib/time/service-times.ts';
import { t } from '../../lib/words/words.ts';

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
