import assert from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { generateRecordings } from '../../../../../bench/proximity/generated.ts';
import { readRecordings } from '../../../../../bench/proximity/recordings.ts';
import { databases } from '../../../../test/support/build-app.ts';
import { isFull } from '../../../../test/support/depth.ts';
import {
  type Known,
  openWalkedVenue,
  type Sensed,
  sensedOn,
  type WalkedVenue,
} from '../../../../test/support/sites/walked-venue.ts';

/**
 * The recorded walks (PHAROS_RSSI_DATA), or generated ones, taken in by the service: in whatever order their pieces come, however often
 * it is killed, and by any clock.
 */

const recordings = readRecordings() ?? generateRecordings();
/** In `npm test` the one whose pieces once came in an order that lost a visit. */
const walks = recordings.walks.filter(({ name }) => isFull || /^(rectangular|generated_0)/.test(name));
const pieceMs = 5_000;
const seed = Number(process.env['PHAROS_TEST_SEED'] ?? 1);
/** Of each walk. */
const orders = Number(process.env['PHAROS_TEST_RUNS'] ?? (isFull ? 2_000 : 2));
const killed = Number(process.env['PHAROS_TEST_RUNS'] ?? (isFull ? 200 : 2));
/** Phones that walk at the same time. */
const atOnce = 100;

/** An order that once lost a visit: the beginnings of its pieces, s. */
const lost = { walk: 'rectangular', order: '80 55 45 30 50 5 65 20 10 75 0 40 70 60 35 25 15' };

const piecesOf = (sensed: readonly Sensed[], ms: number) =>
  [...Map.groupBy(sensed, ({ at }) => Math.floor(at / ms) * ms)].map(([begins, piece]) => ({ begins, piece }));

function ordersOf(name: string, begins: readonly number[]): (readonly number[])[] {
  const places = begins.map((_, place) => place);
  const known = name.startsWith(lost.walk)
    ? [lost.order.split(' ').map((seconds) => begins.indexOf(Number(seconds) * 1_000))]
    : [];
  const any = fc.shuffledSubarray(places, { minLength: places.length });
  return [...known, ...fc.sample(any, { seed, numRuns: orders })];
}

interface Clock {
  /** How far the phone's clock is off before it is set in the middle of the walk, and after, ms. */
  readonly errors: readonly [before: number, after: number];
  /** Messages take up to five seconds. */
  readonly isSlow: boolean;
}

const clocks: readonly Clock[] = [
  ...[0, 60_070, -60_070, 10_070, -10_070].map((error): Clock => ({ errors: [error, error], isSlow: true })),
  ...[180_070, -180_070, 3_600_070, -86_400_070].map((error): Clock => ({ errors: [0, error], isSlow: false })),
];

/** When the first visit began. */
const beginningOf = ({ visits }: Known) => Math.min(...visits.map((visit) => Number(visit.split(' ')[1])));

const withoutFired = ({ fired, ...known }: Known) => {
  assert.equal(new Set(fired).size, fired.length, 'nobody is told twice');
  return known;
};

for (const database of databases)
  for (const walk of walks)
    describe(`the ${walk.name.split('_')[0]} ${walk.name.split('_')[1]} walk on ${database}`, () => {
      const sensed = sensedOn(walk);
      let venue: WalkedVenue;
      beforeAll(async () => {
        venue = await openWalkedVenue(database, recordings);
      });
      afterAll(() => venue.close());

      test('in pieces of five seconds, in any order', { timeout: 3_600_000 }, async () => {
        const pieces = piecesOf(sensed, pieceMs);
        const inOrder = pieces.map((_, place) => place);
        const all = ordersOf(
          walk.name,
          pieces.map(({ begins }) => begins),
        );
        let expected: Omit<Known, 'fired'> | undefined;
        for (let from = 0; from < all.length; from += atOnce) {
          const some = [inOrder, ...all.slice(from, from + atOnce)];
          const phones = await venue.phones(some.length);
          const start = venue.later();
          const sent = start + (sensed.at(-1)?.at ?? 0) + pieceMs;
          for (const step of inOrder) {
            venue.now = sent + step * 2_000;
            await venue.tick();
            await Promise.all(
              phones.map((phone, n) => {
                const order = some[n] as readonly number[];
                const piece = pieces[order[step] as number]?.piece as readonly Sensed[];
                return venue.send(phone, { sensed: piece, error: 0 }, start);
              }),
            );
          }
          await venue.end();
          for (const [n, known] of (await venue.known(phones, start)).entries()) {
            expected ??= withoutFired(known);
            const order = some[n]?.map((place) => (pieces[place]?.begins ?? 0) / 1_000).join(' ');
            assert.deepEqual(withoutFired(known), expected, order);
          }
        }
        assert.ok((expected?.visits.length ?? 0) > 0);
      });

      test('as it is walked, and killed at any moment', { timeout: 3_600_000 }, async () => {
        const kills = fc.array(fc.integer({ min: 0, max: sensed.at(-1)?.at ?? 0 }), { minLength: 1, maxLength: 4 });
        const runs: readonly (readonly number[])[] = [[], ...fc.sample(kills, { seed, numRuns: killed })];
        let expected: Known[] = [];
        for (const at of runs) {
          const phones = await venue.phones(3);
          const start = venue.later();
          const left = at.toSorted((a, b) => a - b);
          const batches = [1_000, 3_000, pieceMs].flatMap((ms, n) =>
            piecesOf(sensed, ms).map(({ begins, piece }) => ({
              phone: phones[n] as string,
              arrives: begins + ms,
              piece,
            })),
          );
          for (const { phone, arrives, piece } of batches.sort((a, b) => a.arrives - b.arrives)) {
            if ((left[0] ?? Number.POSITIVE_INFINITY) < arrives) {
              left.shift();
              venue.kill();
            }
            venue.now = start + arrives;
            await venue.tick();
            await venue.send(phone, { sensed: piece, error: 0 }, start);
          }
          await venue.end();
          const known = (await venue.known(phones, start)).map((one) => ({ ...withoutFired(one), fired: [] }));
          if (at.length === 0) expected = known;
          else assert.deepEqual(known, expected, `killed at ${at.join(', ')}`);
        }
        assert.ok(expected.every(({ visits }) => visits.length > 0));
      });

      test('by a clock that is wrong or set on the way, with messages that take a while', {
        timeout: 3_600_000,
      }, async () => {
        const [right, ...others] = await venue.phones(clocks.length + 1);
        const start = venue.later();
        const setAt = (sensed.at(-1)?.at ?? 0) / 2;
        const delays = fc.sample(fc.integer({ min: 0, max: 5_000 }), { seed, numRuns: 100 });
        const batches = [{ errors: [0, 0], isSlow: false } as Clock, ...clocks].flatMap(({ errors, isSlow }, n) =>
          piecesOf(sensed, 3_000).map(({ begins, piece }, place) => {
            const errorAt = (at: number) => errors[at < setAt ? 0 : 1];
            const delay = isSlow ? (delays[(7 * n + place) % delays.length] as number) : 0;
            const sent = {
              sensed: piece,
              errorOf: ({ at }: Sensed) => errorAt(at),
              error: errorAt(begins + 3_000),
              delay,
            };
            return { phone: [right, ...others][n] as string, arrives: begins + 3_000 + delay, sent };
          }),
        );
        for (const { phone, arrives, sent } of batches.sort((a, b) => a.arrives - b.arrives)) {
          venue.now = start + arrives;
          await venue.tick();
          const { problems } = await venue.send(phone, sent, start);
          // One recording has an RSSI that there cannot be.
          assert.ok(problems.every(({ code }) => code === 'unusable'));
        }
        await venue.end();
        const [expected] = (await venue.known([right as string], start)).map(withoutFired);
        for (const [n, phone] of others.entries()) {
          const [found] = (await venue.known([phone], start)) as [Known];
          const shift = beginningOf(found) - beginningOf({ fired: [], ...(expected as Omit<Known, 'fired'>) });
          const name = JSON.stringify(clocks[n]);
          assert.ok(Math.abs(shift) <= 2_500, `${name}: ${shift} ms later`);
          assert.deepEqual((await venue.known([phone], start + shift)).map(withoutFired), [expected], name);
        }
      });
    });
