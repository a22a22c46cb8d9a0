import { Type } from 'typebox';
import type { AppPolicy } from '../../../access/policy.ts';
import { recordAnswer } from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../../http/console/console-endpoint.ts';
import type { Stored } from '../../../limits/stored.ts';
import type { UsageMeter } from '../../../limits/usage.ts';
import type { AppView } from './service.ts';

interface Deps {
  readonly usage: Pick<UsageMeter, 'of'>;
  /** @throws Failure ObjectNotFound */
  readonly getApp: (appId: string) => Promise<AppView>;
}

const of = Type.Object({ used: Type.Integer({ minimum: 0 }), quota: Type.Integer({ minimum: 0 }) });

/** What is stored beside what may be stored. */
export function usedQuotas(used: Stored, { quotas }: Pick<AppPolicy, 'quotas'>) {
  const each = (name: keyof Stored) => ({ used: used[name], quota: quotas[name] });
  const [files, fileBytes] = [each('files'), each('fileBytes')];
  return { files, fileBytes, records: each('records'), recordBytes: each('recordBytes') };
}

/** How much of its quotas an app has used up. */
export function usageConsoleEndpoints({ usage, getApp }: Deps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/usage',
      operationId: 'getAppUsage',
      summary: 'What an app has stored, and its quotas',
      permission: 'settings.read',
      answer: recordAnswer(Type.Object({ files: of, fileBytes: of, records: of, recordBytes: of })),
      handle: async ({ params: { appId = '' } }) => {
        const [used, { policy }] = await Promise.all([usage.of(appId), getApp(appId)]);
        return { result: usedQuotas(used, policy) };
      },
    }),
  ];
}
