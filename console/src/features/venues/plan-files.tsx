import { Alert, Button, List, NativeSelect, Text, TextInput } from '@mantine/core';
import type { Venue } from '@pharos/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DialogForm } from '../../components/form/dialog-form.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import { Icon, LinkButton } from '../../components/page/blocks.tsx';
import { download } from '../../lib/actions/download.ts';
import { useAction } from '../../lib/actions/use-action.ts';
import { floorsQuery, venueBeaconsQuery, zonesQuery } from '../../lib/data/venue-queries.ts';
import { pageLanguage, t } from '../../lib/words/words.ts';
import { writePlanCsv } from './csv/write.ts';
import { type Site, writeGeoJson } from './geojson/write.ts';
import { packed } from './imdf/archive.ts';
import { venueCategories } from './imdf/categories.ts';
import { imdfFiles, imdfProblems } from './imdf/write.ts';

interface Props {
  readonly appId: string;
  readonly venue: Venue;
  readonly mayImport: boolean;
}

/** The floors, zones and beacons as a file for other programs, and back. */
export function PlanFiles({ appId, venue, mayImport }: Props) {
  const queries = useQueryClient();
  const [site, setSite] = useState<Site>();
  const { objectId: venueId, name } = venue;
  async function read(): Promise<Site> {
    const [floors, zones, beacons] = await Promise.all([
      queries.fetchQuery(floorsQuery(appId, venueId)),
      queries.fetchQuery(zonesQuery(appId, venueId)),
      queries.fetchQuery(venueBeaconsQuery(appId, venueId)),
    ]);
    return { venue, floors, zones, beacons };
  }
  return (
    <>
      {mayImport && (
        <LinkButton to="/apps/$appId/beacons/venues/$venueId/import" params={{ appId, venueId }} icon="upload" isPlain>
          {t('Import from a file')}
        </LinkButton>
      )}
      <Export
        label={t('Export for map programs (GeoJSON)')}
        run={async () => download(`${fileName(name)}.geojson`, 'application/geo+json', [writeGeoJson(await read())])}
        done={t('The file is saved.')}
      />
      <Export
        label={t('Export as a table (CSV)')}
        run={async () => download(`${fileName(name)}.csv`, 'text/csv', [writePlanCsv(await read())])}
        done={t('The file is saved.')}
      />
      <Export label={t('Export for indoor maps (IMDF)')} run={async () => setSite(await read())} />
      {site && <ImdfDialog site={site} onClose={() => setSite(undefined)} />}
    </>
  );
}

interface ExportProps {
  readonly label: string;
  readonly run: () => Promise<void>;
  readonly done?: string;
}

function Export({ label, run, done }: ExportProps) {
  const save = useAction({ run, done });
  return (
    <Button leftSection={<Icon name="download" size={16} />} loading={save.isPending} onClick={() => save.mutate()}>
      {label}
    </Button>
  );
}

const fileName = (name: string) => name.replaceAll(/[^\p{L}\p{N}]+/gu, '-');

/** Asks for what IMDF requires and the venue does not have, or says what the venue lacks. */
function ImdfDialog({ site, onClose }: { readonly site: Site; readonly onClose: () => void }) {
  const form = useFields({ category: 'museum', locality: '', country: '' });
  const problems = imdfProblems(site);
  const save = useAction({
    run: async () => {
      const files = imdfFiles(site, { ...form.current(), language: pageLanguage() }, new Date());
      download(`${fileName(site.venue.name)}.zip`, 'application/zip', [new Blob([await packed(files)])]);
    },
    done: t('The file is saved.'),
    after: onClose,
  });
  function submit() {
    const { locality, country } = form.current();
    const missing = [
      ...(locality.trim() === '' ? [{ field: 'locality', problem: t('is required') }] : []),
      ...(/^[A-Za-z]{2}$/.test(country.trim())
        ? []
        : [{ field: 'country', problem: t('must be two letters, such as AT') }]),
    ];
    if (missing.length > 0) form.setProblems(missing);
    else save.mutate();
  }
  if (problems.length > 0)
    return (
      <DialogForm
        isOpen
        onClose={onClose}
        title={t('Export for indoor maps (IMDF)')}
        form={form}
        submit={t('Close')}
        isBusy={false}
        onSubmit={onClose}
      >
        <Alert color="yellow" title={t('For IMDF something is missing')} icon={<Icon name="warning" />}>
          <List size="sm">
            {problems.map((problem) => (
              <List.Item key={problem}>{problem}</List.Item>
            ))}
          </List>
        </Alert>
      </DialogForm>
    );
  return (
    <DialogForm
      isOpen
      onClose={onClose}
      title={t('Export for indoor maps (IMDF)')}
      form={form}
      submit={t('Save the archive')}
      isBusy={save.isPending}
      onSubmit={submit}
      about={
        <Text>
          {t(
            'An archive of the Indoor Mapping Data Format, with positions on earth: levels and units, without beacons. The coordinates of the venue count as the place where x and y are 0.',
          )}
        </Text>
      }
    >
      <NativeSelect
        label={t('Kind of venue, as the format (IMDF) calls it')}
        data={[...venueCategories]}
        {...form.text('category')}
      />
      <TextInput label={t('Town')} required {...form.text('locality')} />
      <TextInput
        label={t('Country')}
        description={t('Two letters, as in ISO 3166: AT for Austria')}
        maxLength={2}
        required
        {...form.text('country')}
      />
    </DialogForm>
  );
}
