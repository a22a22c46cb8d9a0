import { setTimeout as delay } from 'node:timers/promises';
import { type CommandCall, type OptionSpec, UsageError } from '../../support/command.ts';
import { type CommandClock, ServiceClient } from '../../support/service-client.ts';
import { waitForStop } from '../../support/stop-signal.ts';
import { runNamePattern } from './installations.ts';

/** What simulate and replay have in common: the service, the credentials, and the passing of time. */

export const serviceOptions: Readonly<Record<string, OptionSpec>> = {
  url: { value: 'URL', help: 'where the service listens; BASE_URL, or http://127.0.0.1:8080' },
  'app-id': { value: 'ID', help: 'the app; APP_ID by default' },
  'app-key': { value: 'KEY', help: 'its key; APP_KEY by default' },
  token: { value: 'TOKEN', help: "a user's accessToken, to read beacons and to remove; TOKEN by default" },
};

export const serviceDetails =
  'It calls a running service. The file first-app.env of the data folder sets APP_ID, APP_KEY and BASE_URL.';

export function clientOf(call: CommandCall, pace: CommandClock): ServiceClient {
  const { environment } = call;
  const url = (call.text('url') ?? environment['BASE_URL'] ?? 'http://127.0.0.1:8080').replace(/\/+$/, '');
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError(`--url must be an address such as http://127.0.0.1:8080, not "${url}".`);
  const appId = call.text('app-id') ?? environment['APP_ID'];
  const appKey = call.text('app-key') ?? environment['APP_KEY'];
  if (!appId || !appKey)
    throw new UsageError('Name the app with --app-id and --app-key, or with APP_ID and APP_KEY in the environment.');
  return new ServiceClient({ url, appId, appKey, token: call.text('token') ?? environment['TOKEN'], pace });
}

/** The real clock, until the first signal; a second signal ends the process at once. */
export function realPace(): CommandClock {
  const controller = new AbortController();
  const stop = controller.signal;
  waitForStop(process, { now: Date.now, atOnce: () => process.exit(1) }).then(
    () => controller.abort(),
    () => undefined,
  );
  return {
    now: Date.now,
    stop,
    wait: (ms) => delay(ms, undefined, { signal: stop }).catch(() => undefined),
  };
}

/** A number in an option. @throws UsageError */
export function numberOf(call: CommandCall, option: string, limits: { min: number; max: number; fallback: number }) {
  const text = call.text(option);
  if (text === undefined) return limits.fallback;
  const value = Number(text);
  if (text.trim() !== '' && value >= limits.min && value <= limits.max) return value;
  throw new UsageError(`--${option} must be a number from ${limits.min} to ${limits.max}, not "${text}".`);
}

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds for `90s`, `10m`, `2h` or a bare number of seconds. @throws UsageError */
export function durationOf(call: CommandCall, option: string): number | undefined {
  const text = call.text(option);
  if (text === undefined) return undefined;
  const [, value, unit = 's'] = /^(\d+(?:\.\d+)?)([smh]?)$/.exec(text) ?? [];
  if (value === undefined) throw new UsageError(`--${option} must be a time such as 90s, 10m or 2h, not "${text}".`);
  return Number(value) * (units[unit || 's'] ?? 1_000);
}

/** The name of the run, stored as `metadata.simulated` in what it creates. @throws UsageError */
export function runNameOf(call: CommandCall, now: number): string {
  const name = call.text('run') ?? `run-${new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '')}`;
  if (runNamePattern.test(name)) return name;
  throw new UsageError('--run must have 1 to 60 letters, digits, dots, dashes and underscores.');
}
