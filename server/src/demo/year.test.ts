import assert from 'node:assert/strict';
import { localTime } from '@pharos/engine';
import { test } from 'vitest';
import { closedDays } from './calendar.ts';
import { exhibition, museum } from './halls.ts';
import { planYear, type TourStop } from './year.ts';

const now = Date.parse('2026-05-20T11:30:00Z');
const year = planYear('7', now);
const stops: TourStop[] = year.days.flatMap(({ tours }) => tours.flatMap((tour) => tour.stops));

test('the same seed and moment give the same year, another seed another', () => {
  assert.deepEqual(planYear('7', now).days, year.days);
  assert.deepEqual(planYear('7', now).guests, year.guests);
  assert.notDeepEqual(planYear('8', now).days, year.days);
});

test('nobody comes before the doors open, stays after they close, or is there in the future', () => {
  for (const { enteredAt, leftAt } of stops) {
    const [came, left] = [localTime(enteredAt, museum.timeZone), localTime(leftAt, museum.timeZone)];
    assert.ok(came.minute >= 10 * 60 && left.minute <= 20 * 60 && came.date === left.date, came.date);
    assert.ok(leftAt < now && leftAt > enteredAt);
  }
});

test('weekends and summers are busy, Mondays in winter are closed', () => {
  const perDay = (matches: (date: string) => boolean) => {
    const days = year.days.filter(({ date }) => matches(date));
    return days.reduce((sum, { tours }) => sum + tours.length, 0) / days.length;
  };
  const weekday = (date: string) => new Date(`${date}T12:00:00Z`).getUTCDay();
  assert.ok(perDay((date) => weekday(date) === 0) > 1.5 * perDay((date) => weekday(date) === 2));
  assert.ok(perDay((date) => date.slice(5, 7) === '08') > 1.8 * perDay((date) => date.slice(5, 7) === '01'));
  assert.ok(!year.days.some(({ date }) => weekday(date) === 1 && !['07', '08'].includes(date.slice(5, 7))));
});

test('on its holidays the museum is closed', () => {
  const dates = new Set(year.days.map(({ date }) => date));
  const holidays = Object.keys(closedDays);
  assert.ok(holidays.length >= 4);
  for (const day of holidays) assert.ok(![...dates].some((date) => date.endsWith(`-${day}`)), day);
  // Around them it is open, or it would be no holiday that closes it.
  const near = [...dates].filter((date) => /-12-(2[0-9]|30)$/.test(date));
  assert.ok(near.length > 3, near.join());
});

test('halls are loved and overlooked, and stays are log-normal: the mean lies above the median', () => {
  const at = (key: string) => stops.filter(({ hall }) => hall.key === key);
  assert.ok(at('whale').length > 5 * at('herbarium').length);
  const stays = at('whale').map(({ enteredAt, leftAt }) => leftAt - enteredAt);
  const median = stays.sort((a, b) => a - b)[Math.floor(stays.length / 2)] ?? 0;
  const mean = stays.reduce((sum, stay) => sum + stay, 0) / stays.length;
  assert.ok(mean > 1.1 * median && mean < 1.7 * median, `${mean} ${median}`);
});

test('an exhibition ends, its hall is closed while it is rebuilt, and more come to see the next one', () => {
  const today = Date.parse(localTime(now, museum.timeZone).date);
  const share = (from: number, until: number) => {
    const tours = year.days
      .filter(({ date }) => {
        const daysAgo = Math.round((today - Date.parse(date)) / 86_400_000);
        return daysAgo <= from && daysAgo >= until;
      })
      .flatMap((day) => day.tours);
    return tours.filter((tour) => tour.stops.some(({ hall }) => hall.key === exhibition.hall)).length / tours.length;
  };
  const before = share(120, exhibition.until);
  assert.ok(before > 0.2, `${before}`);
  assert.equal(share(exhibition.until - 1, exhibition.from + 1), 0);
  assert.ok(share(exhibition.from, 0) > 1.4 * before, `${share(exhibition.from, 0)}`);
});

test('some guests come again, and their earlier visits are counted', () => {
  const last = year.days
    .flatMap(({ tours }) => tours)
    .find((tour) => tour.stops.some(({ hall }) => year.visitsBefore(tour, hall) > 0));
  assert.ok(last);
  const [stop] = last.stops.filter(({ hall }) => year.visitsBefore(last, hall) > 0);
  const earlier = year.days
    .flatMap(({ tours }) => tours)
    .filter((tour) => tour.guest === last.guest && (tour.stops[0]?.enteredAt ?? 0) < (last.stops[0]?.enteredAt ?? 0))
    .flatMap((tour) => tour.stops.filter(({ hall }) => hall === stop?.hall));
  assert.equal(year.visitsBefore(last, stop!.hall), earlier.length);
});
