/**
 * How good and how fast the proximity engine is: one table over the recorded walks, standing tags and phones on bodies
 * (`shared/data/rssi`, or PHAROS_RSSI_DATA; generated signals where it is missing), and samples a second.
 *
 *   npm run bench:proximity
 */
import { ENGINES, pharos } from './proximity/engines.ts';
import { withExactSignals } from './proximity/exact.ts';
import { generateRecordings } from './proximity/generated.ts';
import { readRecordings, recordingsFolder } from './proximity/recordings.ts';
import { type Score, score, scoreWalks } from './proximity/score.ts';
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

function table(rows: readonly (readonly string[])[]): string {
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body.map(line)].join('\n');
}

const recorded = readRecordings();
const recordings = recorded ?? generateRecordings();
console.log(
  recorded === null
    ? `No recordings in ${recordingsFolder()}; these are generated signals.`
    : 'Recorded signals: 5 walks past 12 beacons, 15 standing tags of half an hour, phones on bodies at 1.83 m.',
);
console.log(`\n${table([HEADINGS, ...ENGINES.map((engine) => row(score(engine, recordings)))])}\n`);
for (const name of ['stable', 'fast'] as const) {
  const { hits, visits } = scoreWalks(pharos(name), withExactSignals(recordings));
  console.log(`${name} on exact distances, without noise: ${hits}/${visits}`);
}
console.log('');
for (const { name, perSecond } of measureThroughput()) {
  console.log(`${name.padEnd(28)} ${Math.round(perSecond).toLocaleString('en-GB').padStart(12)} samples/s`);
}
