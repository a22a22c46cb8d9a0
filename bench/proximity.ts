/**
 * How good and how fast the proximity engine is, on recorded walks, standing tags and phones on bodies (`shared/data/rssi`, or
 * PHAROS_RSSI_DATA; generated signals where it is missing), and samples a second. docs/proximity.md has the figures.
 *
 *   npm run bench -- proximity
 */
import { ENGINES, pharos } from './proximity/engines.ts';
import { withExactSignals } from './proximity/exact.ts';
import { generateRecordings } from './proximity/generated.ts';
import { FOLD_HEADINGS, foldRow, scoreNested } from './proximity/nested.ts';
import { readRecordings, recordingsFolder } from './proximity/recordings.ts';
import { RULES } from './proximity/rules.ts';
import { type Score, score, scoreWalks } from './proximity/score.ts';
import { pharosSite, type SiteEngine } from './proximity/site-engines.ts';
import { scoreSite } from './proximity/site-score.ts';
import { SITE_HEADINGS, siteRow, table } from './proximity/site-tables.ts';
import { STANDING_HEADINGS, standingRows } from './proximity/standing.ts';
import { measureThroughput } from './proximity/throughput.ts';

const HEADINGS = [
  'engine',
  'visits hit',
  'duplicate enters',
  'false enters/h',
  'still changes/h',
  'still EXITs/stream-h',
  'zone changes/min at 1.83 m',
];

function row(result: Score): string[] {
  return [
    result.engine,
    `${result.hits}/${result.visits} (${Math.round((100 * result.hits) / result.visits)} %)`,
    String(result.duplicates),
    result.falsePerHour.toFixed(1),
    result.stillChangesPerHour.toFixed(2),
    (result.stillExits / result.stillHours).toFixed(2),
    result.zoneChangesPerMinute.toFixed(2),
  ];
}

const SITE_ENGINES: readonly SiteEngine[] = [
  ...RULES,
  pharosSite({ name: 'Pharos, each beacon by itself', oneZone: false, isLocated: false }),
  pharosSite({ name: 'Pharos, one zone at a time', oneZone: true, isLocated: false }),
  pharosSite({ name: 'Pharos, one zone, locations', oneZone: true, isLocated: true }),
];

const recorded = readRecordings();
const recordings = recorded ?? generateRecordings();
console.log(
  recorded === null
    ? `No recordings in ${recordingsFolder()}; these are generated signals.`
    : 'Recorded signals: 5 walks past 12 beacons, 161 standing tags of half an hour, phones on bodies at 1.83 m.',
);
console.log(`\n${table([HEADINGS, ...ENGINES.map((engine) => row(score(engine, recordings)))])}\n`);
for (const name of ['stable', 'fast'] as const) {
  const { hits, visits } = scoreWalks(pharos(name), withExactSignals(recordings));
  console.log(`${name} on exact distances, without noise: ${hits}/${visits}`);
}

const KNOWLEDGE = [
  { title: 'measured power from the other walks (leave one walk out)', isCalibrated: true },
  { title: 'nobody has calibrated', isCalibrated: false },
  { title: 'nobody has calibrated, and the phone hears 10 dB less', isCalibrated: false, shift: -10 },
  { title: 'nobody has calibrated, the floor was surveyed by the other walks', isCalibrated: false, isSurveyed: true },
] as const;
for (const { title, ...knowledge } of KNOWLEDGE) {
  const engines = 'isSurveyed' in knowledge ? SITE_ENGINES.slice(-1) : SITE_ENGINES;
  const rows = engines.map((engine) => siteRow(scoreSite(engine, recordings, knowledge)));
  console.log(`\nOver all beacons, ${title}; [95 % interval]\n\n${table([SITE_HEADINGS, ...rows])}`);
}
console.log(`\nStanding still\n\n${table([STANDING_HEADINGS, ...standingRows(recordings)])}`);
const nested = scoreNested(recordings);
console.log(`\nThresholds too from the other walks\n\n${table([SITE_HEADINGS, siteRow(nested.score)])}`);
console.log(`\n${table([FOLD_HEADINGS, ...nested.folds.map(foldRow)])}`);
console.log();
for (const { name, perSecond } of measureThroughput()) {
  console.log(`${name.padEnd(28)} ${Math.round(perSecond).toLocaleString('en-GB').padStart(12)} samples/s`);
}
