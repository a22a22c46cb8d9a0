import { joined, wordingProblems } from '../../../access/experiment.ts';
import { fail } from '../../../base/errors.ts';
import { sentence } from '../../../http/shape.ts';
import { type Restorable, restorable } from '../../../resources/restore.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { draftProblems, messageProblems, notifications, variantProblems } from './resource.ts';

declare module '../../context.ts' {
  interface Context {
    readonly notificationParts: Restorable;
  }
}

function notificationParts({ db, findUnreadableBeacons, noteChange, past, assertGoal }: Context): Restorable {
  return restorable(notifications, {
    db,
    past: { kind: 'notifications', keep: past },
    onWrite: noteChange,
    onRemove: noteChange,
    verify: async (db, caller, sent, stored) => {
      const { type, message, beaconId, isEnabled, variants, goal } = sent;
      const kind = String(type ?? stored?.type);
      const words = { ...(message ?? stored?.message) };
      const broken = messageProblems(kind, words);
      const isOn = isEnabled ?? stored?.isEnabled ?? false;
      const mixed = variantProblems(kind, words, variants === undefined ? stored?.variants : variants);
      const all = [...broken, ...mixed, ...wordingProblems(joined(sent, stored))];
      const details = all.length > 0 ? all : draftProblems(kind, words, isOn);
      if (details.length > 0) throw fail('ValidationError', { message: sentence(details), details });
      const [missing] = beaconId ? await findUnreadableBeacons(db, caller, [beaconId.objectId]) : [];
      if (missing !== undefined) throw fail('ObjectNotFound', `beaconId: there is no beacon ${missing}.`);
      if (goal) await assertGoal(db, caller, goal);
    },
  });
}

export const makers: Makers<Context, 'notificationParts'> = { notificationParts };

export const notificationFeature = ({ notificationParts: { endpoints } }: Context): Feature => ({ endpoints });
