import type { PastRecord } from '../../../resources/past.ts';
import * as store from './store.ts';

/** The settings of an app: its name, and what its policy says. */

type Settings = Readonly<Record<string, unknown>>;

export function settingsOf(row: store.AppRow): Settings {
  return { name: row.name, disabled: row.disabled_at !== null, ...store.policyOf(row) };
}

/** What a change of the settings replaces. Whether the app is switched on is no part of it. */
export function pastSettings(row: store.AppRow): PastRecord {
  return {
    appId: row.app_id,
    kind: 'settings',
    withinId: '',
    objectId: row.app_id,
    title: row.name,
    state: { name: row.name, policy: store.policyOf(row) },
    createdBy: null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The members that a change touched, as they were and as they are. */
export function differences(before: Settings, after: Settings): { before: Settings; after: Settings } {
  const changed = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const pick = (from: Settings) => Object.fromEntries(changed.map((name) => [name, from[name]]));
  return { before: pick(before), after: pick(after) };
}
