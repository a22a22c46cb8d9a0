/**
 * How long somebody who writes waits beside counting: after a round of visits, while thousands of changes are being counted, one sighting is
 * sent each twenty milliseconds, whatever became of those before; to a service that counts, and to one that does not, in turn.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { quantile } from './median.ts';
import type { Place } from './service.ts';
import { openBoth, post, type Subject, sendRound } from './write-path.ts';

const everyMs = 20;
/** Counting begins some seconds behind, and is over by then. */
const probeMs = 12_000;
const writers = 50;

async function probe(subject: Subject, waits: number[]): Promise<void> {
  const began = performance.now();
  const open: Promise<void>[] = [];
  for (let n = 0; n * everyMs < probeMs; n++) {
    const due = began + n * everyMs;
    const early = due - performance.now();
    if (early > 0) await delay(early);
    const event = Math.floor(n / writers) % 2 === 0 ? 'ENTER' : 'EXIT';
    const sightings = [{ beacon: subject.beaconId, event, occurredAt: Date.now() }];
    // From when it was due: who comes while others wait, waits as well.
    open.push(
      post(subject, 'sightings', { installationId: `w${n % writers}`, sightings }).then(() => {
        waits.push(performance.now() - due);
      }),
    );
  }
  await Promise.all(open);
}

/** `placeOf`: an empty database for each of the two. */
export async function measureBesideCounting(
  target: string,
  placeOf: (name: string) => Promise<Place>,
  rounds: number,
): Promise<void> {
  const subjects = await openBoth(placeOf);
  const waits = new Map(subjects.map(({ name }) => [name, [] as number[][]]));
  try {
    for (const subject of subjects)
      for (let n = 0; n < writers; n++)
        await post(subject, 'installations', { installationId: `w${n}`, deviceType: 'ios' });
    for (let n = 0; n < rounds; n++)
      for (const subject of n % 2 ? subjects.toReversed() : subjects) {
        await sendRound(subject);
        const waited: number[] = [];
        await probe(subject, waited);
        waits.get(subject.name)?.push(waited);
      }
    console.log(`\n| ${target}, POST /sightings | rounds | p50 ms | p99 | p99.9 | most |\n|---|---|---|---|---|---|`);
    for (const [name, all] of waits) {
      // The middle of the rounds: another program that takes the processor for some seconds spoils one of them, and not the figure.
      const figures = [0.5, 0.99, 0.999, 1].map((share) =>
        quantile(
          all.map((waited) => quantile(waited, share)),
          0.5,
        ).toFixed(1),
      );
      console.log(`| ${name} | ${all.length} | ${figures.join(' | ')} |`);
    }
  } finally {
    await Promise.all(subjects.map(({ service }) => service.stop()));
  }
}
