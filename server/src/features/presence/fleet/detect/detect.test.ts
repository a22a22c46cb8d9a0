import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { findAll } from '../check.ts';
import { type BeaconDay, dayMs, dayWith, hourMs, joinDays, noDay } from '../days/day.ts';
import { forecastBattery } from './battery.ts';
import type { Fleet, FleetBeacon } from './fleet.ts';

const start = Date.UTC(2026, 4, 4);
const minuteMs = 60_000;
const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const;
type Id = (typeof ids)[number];

/** Two rooms 100 m apart, each with four beacons; `above` is over the first. */
const placeOf = (id: string): FleetBeacon => ({
  beaconId: id,
  venueId: 'museum',
  location: {
    x: 'abcd'.includes(id) || id.startsWith('above') ? id.charCodeAt(0) % 7 : 100,
    y: 2,
    floor: id.startsWith('above') ? 1 : 0,
  },
});

/** What phones heard on some days: each note is a beacon that was heard near another one in these minutes of the hour from noon. */
class House {
  readonly #days = new Map<string, Map<number, BeaconDay>>();
  readonly #ids = new Set<string>(ids);

  note(day: number, id: string, note: Omit<Parameters<typeof dayWith>[0], 'at'>, minute = 0): this {
    this.#ids.add(id);
    const at = start + day * dayMs + 12 * hourMs + minute * minuteMs;
    const days = this.#days.get(id) ?? new Map<number, BeaconDay>();
    const time = start + day * dayMs;
    days.set(time, joinDays(days.get(time) ?? noDay, dayWith({ at, ...note })));
    this.#days.set(id, days);
    return this;
  }

  /** The beacon is heard near these in turn, for so many minutes from one on. */
  heard(day: number, id: string, near: readonly string[], { minutes = 40, from = 0 } = {}): this {
    for (let minute = from; minute < from + minutes; minute++)
      this.note(day, id, { by: 'phones', near: { beaconId: near[minute % near.length] ?? '', rssi: -70 } }, minute);
    return this;
  }

  /** All are heard near the others of their room, but for some. */
  usual(day: number, except: readonly Id[] = []): this {
    for (const id of ids) if (!except.includes(id)) this.heard(day, id, others(id));
    return this;
  }

  found(day: number): readonly (readonly [string, string])[] {
    const beacons = [...this.#ids].map(placeOf);
    const places = new Map(beacons.map((one) => [one.beaconId, one]));
    const fleet: Fleet = { beacons, places, days: this.#days, now: start + day * dayMs + 13 * hourMs };
    return findAll(fleet).map(({ kind, beaconId }) => [beaconId, kind] as const);
  }
}

const others = (id: Id) => [...('abcd'.includes(id) ? 'abcd' : 'efgh')].filter((one) => one !== id);
const weeks = (days: number) => {
  const house = new House();
  for (let day = 0; day < days; day++) house.usual(day);
  return house;
};

describe('what is wrong with beacons', () => {
  test('nothing, on usual days and after a closed week', () => {
    assert.deepEqual(weeks(12).found(11), []);
    assert.deepEqual(weeks(12).found(18), []);
    assert.deepEqual(weeks(12).usual(19).found(19), []);
  });

  test('one has moved that is heard near others than before, but not one whose neighbours are gone', () => {
    assert.deepEqual(weeks(12).usual(12, ['a']).heard(12, 'a', ['e', 'f', 'g'], { minutes: 60 }).found(12), [
      ['a', 'moved'],
    ]);
    const alone = weeks(12).usual(12, ['a', 'b', 'c']).heard(12, 'a', ['d']);
    assert.deepEqual(alone.found(12), []);
  });

  test('one has moved where few come, by two days together', () => {
    const house = weeks(11);
    for (const day of [11, 12]) {
      for (const id of ids) if (id !== 'a') house.heard(day, id, others(id), { minutes: 25 });
      house.heard(day, 'a', ['e', 'f', 'g'], { minutes: 25 });
    }
    assert.deepEqual([house.found(11), house.found(12)], [[], [['a', 'moved']]]);
  });

  test('one is copied that is at two places in the same minutes, but not one that was carried', () => {
    const copied = weeks(12).usual(12).heard(12, 'a', ['e', 'f', 'g']);
    assert.deepEqual(copied.found(12), [['a', 'cloned']]);
    const carried = weeks(12).usual(12, ['a']);
    carried.heard(12, 'a', others('a'), { minutes: 10 }).heard(12, 'a', ['e', 'f', 'g'], { from: 15, minutes: 10 });
    assert.deepEqual(carried.found(12), []);
  });

  test('one is copied that a gateway far away hears for some minutes of each hour', () => {
    const house = weeks(12);
    const gateway = { beaconId: 'e', rssi: -75 };
    for (let day = 0; day <= 12; day++)
      for (let hour = -12; hour < 1; hour++) {
        for (let minute = 0; minute < 60; minute++) house.note(day, 'e', { isOn: true }, 60 * hour + minute);
        for (const id of ['f', 'g', 'h'])
          for (let minute = 0; minute < 40; minute++)
            house.note(day, id, { by: 'gateways', near: gateway }, 60 * hour + minute);
        if (day === 12 && hour > -6)
          for (let minute = 0; minute < 60; minute += 15)
            house.note(day, 'a', { by: 'gateways', near: gateway }, 60 * hour + minute);
      }
    house.usual(12);
    assert.deepEqual(house.found(12), [['a', 'cloned']]);
  });

  test('none is copied where a beacon between two rooms has died, and phones there are near the next one', () => {
    const house = new House();
    for (let day = 0; day < 12; day++) {
      house.usual(day).heard(day, 'z', ['a', 'e', 'f']);
      for (const id of ['a', 'e', 'f']) house.heard(day, id, ['z']);
    }
    house.usual(12).heard(12, 'a', ['e', 'f'], { minutes: 50 });
    assert.deepEqual(
      house.found(12).filter(([, kind]) => kind !== 'silent'),
      [],
    );
  });

  test('one has moved that is louder elsewhere than beside the beacon that has died there', () => {
    const house = new House();
    for (let day = 0; day < 12; day++) {
      house.usual(day).heard(day, 'z', ['a', 'e', 'f', 'g']);
      for (const id of ['a', 'e', 'f', 'g']) house.heard(day, id, ['z']);
    }
    house.usual(12, ['a']);
    for (let minute = 0; minute < 50; minute++)
      house.note(12, 'a', { by: 'phones', near: { beaconId: 'efg'[minute % 3] ?? '', rssi: -60 } }, minute);
    const moved = house.found(12).filter(([, kind]) => kind === 'moved');
    assert.deepEqual(moved, [['a', 'moved']]);
  });

  test('none is copied where a phone hears several from afar', () => {
    const house = weeks(12).usual(12).heard(12, 'a', ['e', 'f', 'g']).heard(12, 'b', ['e', 'f', 'g']);
    assert.deepEqual(house.found(12), []);
  });

  test('none is silent where one person walks through a part of a closed house', () => {
    const house = weeks(12);
    for (let day = 12; day < 19; day++)
      house.heard(day, 'e', ['f'], { minutes: 20 }).heard(day, 'b', ['c'], { minutes: 5 });
    assert.deepEqual(house.found(18), []);
  });

  test('one is heard too far away that is often near others of another floor', () => {
    const house = new House();
    for (let day = 0; day < 12; day++)
      house.usual(day).heard(day, 'a', ['above1', 'above2', 'above3'], { minutes: 50 });
    for (let day = 0; day < 12; day++)
      for (const id of ['above1', 'above2', 'above3']) house.heard(day, id, ['above9']);
    assert.deepEqual(house.found(11), [['a', 'bleeding']]);
  });

  test('one is set up unlike the others that says another power or interval', () => {
    const house = weeks(12);
    for (const id of ids) house.note(11, id, { txPower: id === 'c' ? -71 : -59, interval: id === 'd' ? 2_000 : 350 });
    assert.deepEqual(house.found(11), [
      ['c', 'setting'],
      ['d', 'setting'],
    ]);
  });
});

describe('the forecast of a battery', () => {
  /** Charges of the last days, the oldest first; or what else it told. */
  const forecast = (charges: readonly (number | { readonly battery?: number; readonly voltage?: number })[]) => {
    const days = charges.map((charge, day) => {
      const at = start + day * dayMs;
      return [at, dayWith({ at, telemetry: typeof charge === 'number' ? { battery: charge } : charge })] as const;
    });
    const now = start + charges.length * dayMs;
    const found = forecastBattery(new Map(days), now);
    const daysLeft = (at: number) => Math.round((at - now) / dayMs);
    return found && [daysLeft(found.earliest), daysLeft(found.emptyAt), daysLeft(found.latest)];
  };
  const falling = (from: number, perDay: number, days: number) =>
    Array.from({ length: days }, (_, day) => Math.round(from - perDay * day + (day % 3) - 1));

  test('has an interval that is narrower the longer it falls', () => {
    const [early = 0, at = 0, late = 0] = forecast(falling(30, 0.5, 40)) ?? [];
    assert.ok(Math.abs(at - 20) <= 2, `${at}`);
    assert.ok(early < at && at < late && late - early <= 12, `${early} ${late}`);
    const [sooner = 0, , later = 0] = forecast(falling(30, 0.5, 15)) ?? [];
    assert.ok(later - sooner > late - early);
  });

  test('begins anew with a new battery, and is none where the charge does not fall or is hardly known', () => {
    assert.equal(forecast([...falling(20, 0.5, 30), ...falling(100, 0.1, 8)]), undefined);
    assert.equal(forecast(falling(60, 0, 40)), undefined);
    assert.equal(forecast(falling(30, 0.5, 8)), undefined);
    const wrong = falling(30, 0.5, 40).map((charge, day) => (day === 20 ? 0 : charge));
    assert.ok(Math.abs((forecast(wrong)?.[1] ?? 0) - 20) <= 2, 'one wrong value bends nothing');
  });

  test('needs few readings, and is none where the last one may be of a new battery', () => {
    const seldom = falling(30, 0.5, 40).map((charge, day) => (day % 6 === 3 ? charge : {}));
    assert.ok(Math.abs((forecast(seldom)?.[1] ?? 0) - 20) <= 7, `${forecast(seldom)}`);
    assert.equal(forecast([...falling(30, 0.5, 40), 100]), undefined);
  });

  test('follows the voltage since it left its plateau', () => {
    // From there on 5 mV a day: 82 per cent of the charge are one volt.
    const volts = Array.from({ length: 45 }, (_, day) => ({ voltage: 2.86 - Math.max(0, day - 25) * 0.005 }));
    assert.ok(Math.abs((forecast(volts)?.[1] ?? 0) - 38) <= 4, `${forecast(volts)}`);
  });

  test('follows the voltage where the per cent never change', () => {
    const both = Array.from({ length: 46 }, (_, day) => ({
      battery: 10,
      ...(day < 45 ? { voltage: 2.86 - day * 0.004 } : {}),
    }));
    assert.ok(Math.abs((forecast(both)?.[1] ?? 0) - 24) <= 4, `${forecast(both)}`);
  });

  test('does not take what some phones tell for a new battery', () => {
    const isOther = (day: number) => day % 12 === 4 || day % 12 === 5;
    const higher = falling(30, 0.5, 40).map((charge, day) => (isOther(day) || day === 39 ? charge + 30 : charge));
    assert.ok(Math.abs((forecast(higher)?.[1] ?? 0) - 20) <= 3, 'others tell more on some days');
    // 2.98 V are 92 per cent of a new cell.
    const volts = falling(30, 0.5, 40).map((charge, day) => (isOther(day) || day > 36 ? { voltage: 2.98 } : charge));
    assert.ok(Math.abs((forecast(volts)?.[1] ?? 0) - 20) <= 3, 'others tell volts');
  });
});
