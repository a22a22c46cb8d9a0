import type { Clock } from '../base/clock.ts';
import { createPasswords, type PasswordCost } from '../base/passwords.ts';
import type { Database } from '../db/db.ts';
import { CacheVersion } from '../db/nodes/cache-version.ts';
import { createTargetRules } from '../delivery/provider/target-rules.ts';
import { makers as dataMakers } from '../features/data/makers.ts';
import * as data from '../features/data/offers.ts';
import type { InBackground } from '../features/feature.ts';
import { makers as insightsMakers } from '../features/insights/makers.ts';
import * as insights from '../features/insights/offers.ts';
import { makers as messagesMakers } from '../features/messages/makers.ts';
import * as messages from '../features/messages/offers.ts';
import { makers as operateMakers } from '../features/operate/makers.ts';
import * as operate from '../features/operate/offers.ts';
import { makers as peopleMakers } from '../features/people/makers.ts';
import * as people from '../features/people/offers.ts';
import * as places from '../features/places/offers.ts';
import * as presence from '../features/presence/offers.ts';
import { provide, type Services } from '../features/services.ts';
import { createOutbox } from '../jobs/outbox.ts';
import { notifyByMail } from '../sign-in/change-mail.ts';
import { IssuerKeys } from '../sign-in/oidc/issuer-keys.ts';
import { emptyApp, personParts, resources, ruledFields } from './tables.ts';

export interface ServiceOptions {
  readonly db: Database;
  readonly now: Clock;
  /** Without it, nothing is done that nobody waits for. */
  readonly inBackground?: InBackground;
  readonly canMail?: boolean;
  /** Hosts of the operator's own network that may be called. */
  readonly privateTargets?: readonly string[];
  /** What hashing a password costs; only tests make it cheaper. */
  readonly passwordCost?: PasswordCost | undefined;
}

const makers = { ...dataMakers, ...insightsMakers, ...messagesMakers, ...operateMakers, ...peopleMakers };

/** What the console and the command line both manage; a serving process has these too. */
export function createServices(options: ServiceOptions): Services {
  const { db, now, inBackground = () => undefined, canMail = false, privateTargets = [], passwordCost } = options;
  const outbox = createOutbox(now);
  const { enqueue } = outbox;
  const targets = createTargetRules(privateTargets);
  return provide<Services, keyof typeof makers>(
    {
      ...{ ...data, ...insights, ...messages, ...operate, ...people, ...places, ...presence },
      db,
      now,
      inBackground,
      cacheVersion: new CacheVersion(db),
      passwords: createPasswords(passwordCost ? { cost: passwordCost } : {}),
      outbox,
      enqueue,
      targets,
      issuerKeys: new IssuerKeys({ targets, now }),
      canMail,
      tell: canMail ? notifyByMail(enqueue) : undefined,
      ...{ resources, ruledFields, emptyApp, personParts },
    },
    makers,
  );
}
