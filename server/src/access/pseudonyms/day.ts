import { localTime, siteTimeZone } from '@pharos/engine';

const dayMs = 86_400_000;
const stepMs = 15 * 60_000;

/** From when until when (epoch ms) it is the day in which a time is, by the clocks of a zone. */
export function dayAround(at: number, timeZone: string): { readonly begins: number; readonly ends: number } {
  const zone = siteTimeZone([timeZone]);
  const { date } = localTime(at, zone);
  const isOther = (time: number) => localTime(time, zone).date !== date;
  return { begins: boundary(at, at - 1.5 * dayMs, isOther), ends: boundary(at, at + 1.5 * dayMs, isOther) };
}

/** The first moment of a day is a multiple of a quarter of an hour, in every zone. */
function boundary(inside: number, outside: number, isOther: (time: number) => boolean): number {
  let [near, far] = [Math.floor(inside / stepMs), Math.floor(outside / stepMs)];
  const isLater = far > near;
  while (Math.abs(far - near) > 1) {
    const middle = Math.floor((near + far) / 2);
    if (isOther(middle * stepMs)) far = middle;
    else near = middle;
  }
  return (isLater ? far : near) * stepMs;
}
