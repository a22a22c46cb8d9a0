import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { FileImport } from '../../../components/import/file-import.tsx';
import { BackLink, PageHeader } from '../../../components/page/page-header.tsx';
import { useMay, useMayCall } from '../../../lib/data/access.ts';
import { listAll } from '../../../lib/data/all-records.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { secretKeysQuery } from '../../../lib/data/queries.ts';
import { floorsQuery, planKeys, venueQuery, zonesQuery } from '../../../lib/data/venue-queries.ts';
import { isJsonFile, readTableFile } from '../../../lib/text/table-file.ts';
import { isWorkbook as isZip } from '../../../lib/text/workbook.ts';
import { t } from '../../../lib/words/words.ts';
import { unpacked } from '../imdf/archive.ts';
import { metresOf } from '../imdf/read.ts';
import { planCsv, planGeoJson } from './plan-import.ts';

const route = getRouteApi('/signed-in/apps/$appId/beacons/venues/$venueId/import');

export function ImportVenuePage() {
  const { appId, venueId } = route.useParams();
  const { data: venue } = useQuery(venueQuery(appId, venueId));
  const mayPlace = useMayCall()('updateBeacon');
  const mayReadKeys = useMay()('keys.read');
  const queries = useQueryClient();
  return (
    <>
      <PageHeader
        title={t('Import from a file')}
        back={
          <BackLink
            label={venue?.name ?? t('The venue')}
            to="/apps/$appId/beacons/venues/$venueId"
            params={{ appId, venueId }}
          />
        }
      />
      <FileImport
        keepAs={`import venue ${venueId}`}
        label={t('Table (CSV or Excel), GeoJSON or IMDF file')}
        accept=".geojson,.json,.zip,.csv,.tsv,.txt,.xlsx,application/geo+json,application/zip,text/csv"
        isTable={false}
        about={t(
          'What the page of a venue exports: a table (CSV or Excel), GeoJSON or an IMDF archive. What is here already is changed, the rest is added, and nothing is deleted. You see a preview before anything is changed.',
        )}
        read={async (file) => {
          const bytes = new Uint8Array(await file.arrayBuffer());
          // A workbook is a zip archive as well.
          if (!isZip(bytes) || /\.xlsx$/i.test(file.name)) return readTableFile(file);
          const [venue, floors, zones] = await Promise.all([
            queries.fetchQuery(venueQuery(appId, venueId)),
            queries.fetchQuery(floorsQuery(appId, venueId)),
            queries.fetchQuery(zonesQuery(appId, venueId)),
          ]);
          return { name: file.name, text: metresOf(await unpacked(bytes), { venue, floors, zones }) };
        }}
        plan={async ({ name, text }, { isLenient }) => {
          const [known, floors, zones, beacons, keys] = await Promise.all([
            queries.fetchQuery(venueQuery(appId, venueId)),
            queries.fetchQuery(floorsQuery(appId, venueId)),
            queries.fetchQuery(zonesQuery(appId, venueId)),
            listAll(dataOf(appId).beacons.list),
            mayReadKeys ? queries.fetchQuery(secretKeysQuery(appId)) : undefined,
          ]);
          const keyIds = keys && new Set(keys.map(({ keyId }) => keyId));
          const plan = isJsonFile({ name, text }) || /\.(geojson|zip)$/i.test(name) ? planGeoJson : planCsv;
          return plan(appId, text, { venue: known, floors, zones, beacons, keyIds, mayPlace, isLenient });
        }}
        apply={(row) => row.apply()}
        after={() => Promise.all(planKeys(appId).map((queryKey) => queries.invalidateQueries({ queryKey })))}
      />
    </>
  );
}
