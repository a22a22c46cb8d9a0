import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { Blur, type Count, smallGroup } from '../../../blur.ts';
import { distributionOf, metricsOf } from './small-groups.ts';
import { Tally } from './tally.ts';
import { visitorHash } from './visitor-set.ts';

const blurs = Array.from({ length: 3_000 }, (_, n) => new Blur(`salt ${n}`));
/** Visits of a minute, each by another visitor, of whom some are new. */
function tallyOf(visits: number, newcomers = visits): Tally {
  const tally = new Tally();
  for (let n = 0; n < visits; n++) tally.count(visitorHash('salt', `${n}`), 60);
  tally.newcomers = newcomers;
  return tally;
}
const asNumber = (count: Count) => (typeof count === 'number' ? count : 0);

describe('a blurred count', () => {
  test('is zero of none and a small group of one to four, whatever the noise', () => {
    for (const blur of blurs)
      assert.deepEqual(
        [0, 1, 2, 3, 4].map((count) => blur.blurred(count, 'visits', 'a day')),
        [0, smallGroup, smallGroup, smallGroup, smallGroup],
      );
  });

  test('may be that of any larger group: no number has a limit with which others could be subtracted from it', () => {
    const shownOf = (count: number) => new Set(blurs.map((blur) => blur.blurred(count, 'visits', 'a week')));
    for (const count of [5, 6, 7, 8, 9, 10, 12])
      for (const told of [smallGroup, 5, 10, 15, 20] as const)
        assert.ok(shownOf(count).has(told), `${told} may be ${count}`);
  });

  test('is near what was counted, and right on the whole', () => {
    const errors = blurs.map((blur) => asNumber(blur.blurred(103, 'visits', 'a month')) - 103);
    assert.ok(errors.filter((error) => Math.abs(error) <= 5).length > 0.85 * errors.length);
    assert.ok(Math.abs(errors.reduce((sum, error) => sum + error, 0) / errors.length) < 0.4);
  });

  test('is the same as often as it is asked about, and of other visits another one', () => {
    for (const blur of blurs.slice(0, 50))
      assert.equal(blur.blurred(40, 'visits', 'a day'), blur.blurred(40, 'visits', 'a day'));
    const days = new Set(Array.from({ length: 50 }, (_, n) => new Blur('salt').blurred(40, 'visits', `day ${n}`)));
    assert.ok(days.size > 1);
  });
});

describe('what a limit is compared with', () => {
  test('is never more than there are, and as many of fewer than five', () => {
    for (const blur of blurs)
      for (const count of [0, 1, 4, 5, 30]) {
        const surely = blur.lowerBound(count, 'z1');
        assert.ok(count < 5 ? surely === count : surely <= count);
      }
  });

  test('leaves open how many there are at most, while no alarm is raised', () => {
    for (const over of [1, 2, 4, 6]) {
      const silent = blurs.filter((blur) => blur.lowerBound(30 + over, 'z1') <= 30).length / blurs.length;
      assert.ok(silent > 0 && silent < 0.4, `${over} more than 30 raise no alarm in ${silent}`);
    }
  });

  test('has the noise of the peak that is told', () => {
    for (const blur of blurs) {
      const peak = blur.peak(52, 'z1');
      assert.ok(
        asNumber(peak) >= blur.lowerBound(52, 'z1') - 3 && (peak !== 45 || blur.lowerBound(52, 'z1') < 48),
        `${peak}`,
      );
    }
  });
});

describe('protected numbers', () => {
  test('of seven days with one visit each do not follow from those of their week', () => {
    // Each day is 1-4. Rounded to fives their week were 5, which is seven at most: each day had exactly one.
    const told = new Set(blurs.map((blur) => metricsOf(tallyOf(7), blur).visits));
    assert.ok(told.has(10) && told.has(15) && told.has(null), [...told].join());
  });

  test('stay as they are told while visits end and the same visitors come again', () => {
    for (const blur of blurs.slice(0, 300)) {
      const tally = new Tally();
      const come = (n: number, dwell: number | null) => tally.count(visitorHash('salt', `${n}`), dwell);
      for (let n = 0; n < 7; n++) come(n, null);
      const { visitors, newVisitors } = metricsOf(tally, blur);
      for (let n = 0; n < 7; n++) {
        come(n, 60 + n);
        assert.equal(metricsOf(tally, blur).visitors, visitors, 'otherwise there would be many numbers to average');
      }
      assert.equal(metricsOf(tally, blur).newVisitors, newVisitors);
    }
  });

  test('of eight visitors, four of them new, do not say so', () => {
    // Rounded to fives they were 10, of whom 1-4 were new and 1-4 were not: eight at least, and eight at most.
    const told = new Set(blurs.map((blur) => metricsOf(tallyOf(8, 4), blur).visitors));
    assert.ok(told.has(5) && told.has(10) && told.has(15) && told.has(smallGroup), [...told].join());
  });

  test('of how long visits took do not add up either', () => {
    const told = new Set(
      blurs.map((blur) => distributionOf(tallyOf(8), blur).find(({ visits }) => visits !== 0)?.visits),
    );
    assert.ok(told.has(5) && told.has(10) && told.has(15) && told.has(smallGroup), [...told].join());
  });

  test('tell no time of a single visit: sums go in steps of five visits, and of fewer visits there is none', () => {
    const lasting = (last: number, ended: number) => {
      const tally = new Tally();
      for (let n = 0; n < 20; n++)
        tally.count(visitorHash('salt', `${n}`), n >= ended ? null : n === ended - 1 ? last : 60);
      return tally;
    };
    for (const blur of blurs.slice(0, 100)) {
      const told = metricsOf(lasting(60, 20), blur);
      if (told.visitors === smallGroup) continue;
      assert.equal(told.dwellTotal, 1_220, 'twenty minutes, in steps of five visits of a minute');
      assert.equal(metricsOf(lasting(90, 20), blur).dwellTotal, told.dwellTotal, 'also if one took longer');
      assert.equal(told.dwellMean, null);
      const { dwellMedian, dwellLowerQuartile, dwellUpperQuartile, dwellTotal } = metricsOf(lasting(90, 4), blur);
      assert.deepEqual([dwellMedian, dwellLowerQuartile, dwellUpperQuartile, dwellTotal], [null, null, null, null]);
    }
  });

  test('agree with each other: no fewer visits than visitors, and no more who are new', () => {
    for (const blur of blurs)
      for (const [visits, newcomers] of [
        [5, 5],
        [9, 6],
        [30, 28],
      ] as const) {
        const told = metricsOf(tallyOf(visits, newcomers), blur);
        if (told.visitors === smallGroup) assert.deepEqual([told.visits, told.newVisitors], [null, null]);
        else {
          assert.ok(asNumber(told.visits) >= asNumber(told.visitors));
          assert.ok(asNumber(told.newVisitors) <= asNumber(told.visitors));
        }
      }
  });
});
