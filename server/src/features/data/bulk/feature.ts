import { fail } from '../../../base/errors.ts';
import type { Context } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { bulkConsoleEndpoints } from './console-routes.ts';

export const bulkFeature = (context: Context): Feature => ({
  consoleEndpoints: bulkConsoleEndpoints({
    ...context,
    findApp: context.findConsoleApp,
    managed: { changeAppUser: context.userKind, ...context.webhookKinds },
    async restoring(call, { app, kind, bucketName }) {
      const { db, findBucket, history } = context;
      const bucket = bucketName === undefined ? undefined : await findBucket(db, app.appId, bucketName);
      if (bucketName !== undefined && !bucket) throw fail('ObjectNotFound', 'There is no bucket with this name.');
      return history.restoring({ call, app }, kind, bucket?.object_id);
    },
  }),
});
