import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { placeLabels } from '../../src/features/beacons/plot.ts';

const drawing = { width: 400, fontSize: 10, widthOf: (name: string) => 6 * name.length };

describe('the names on the map', () => {
  test('a name stands to the right of its dot', () => {
    assert.deepEqual(placeLabels([{ x: 100, y: 50, name: 'Hall' }], drawing), [{ x: 110, y: 53, anchor: 'start' }]);
  });

  test('at the right edge it stands to the left', () => {
    const [place] = placeLabels([{ x: 390, y: 50, name: 'Hall' }], drawing);
    assert.equal(place?.anchor, 'end');
    assert.ok(place && place.x < 390);
  });

  test('names of dots in one line do not run into each other', () => {
    const dots = [
      { x: 100, y: 50, name: "Keeper's kitchen" },
      { x: 160, y: 50, name: 'Clockwork drive' },
      { x: 220, y: 50, name: 'Harbour model' },
    ];
    const boxes = placeLabels(dots, drawing).map((place, index) => {
      assert.ok(place, dots[index]?.name);
      const width = drawing.widthOf(dots[index]?.name ?? '');
      const left = place.anchor === 'start' ? place.x : place.anchor === 'end' ? place.x - width : place.x - width / 2;
      return { left, right: left + width, y: place.y };
    });
    for (const [index, one] of boxes.entries())
      for (const other of boxes.slice(index + 1))
        assert.ok(
          one.right <= other.left || other.right <= one.left || Math.abs(one.y - other.y) >= drawing.fontSize,
          JSON.stringify([one, other]),
        );
  });

  test('where there is no room a name is left out', () => {
    const dots = Array.from({ length: 12 }, (_, n) => ({ x: 200 + n, y: 50, name: 'A rather long name' }));
    const places = placeLabels(dots, drawing);
    assert.ok(places.some((place) => place === undefined));
    assert.ok(places.some((place) => place !== undefined));
  });
});
