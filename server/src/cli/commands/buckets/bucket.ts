import { commandLine } from '../../../access/audit.ts';
import { type Command, type CommandCall, confirmDeletion, type OptionSpec, yesOption } from '../../support/command.ts';
import { withServices } from '../storage.ts';

const app: OptionSpec = { value: 'ID', help: 'the app', required: true };
const name = { name: 'NAME', help: 'the name of the bucket' } as const;

const namesOf = (call: CommandCall) => ({ appId: call.text('app') ?? '', bucket: call.arguments[0] ?? '' });

export const bucketCommands: readonly Command[] = [
  {
    name: 'bucket create',
    summary: 'create a bucket in an app',
    arguments: [name],
    options: { app },
    async run(call) {
      const { appId, bucket } = namesOf(call);
      const created = await withServices(call.config(), async ({ apps, buckets }) => {
        await apps.get(appId);
        return buckets.createBucket(appId, bucket, commandLine);
      });
      return { text: `Created the bucket ${created.name}.`, json: created };
    },
  },
  {
    name: 'bucket list',
    summary: 'list the buckets of an app',
    options: { app },
    async run(call) {
      const { appId } = namesOf(call);
      const listed = await withServices(call.config(), async ({ apps, buckets }) => {
        await apps.get(appId);
        return buckets.listBuckets(appId);
      });
      const lines = listed.map(({ name, columns }) => {
        const declared = Object.entries(columns).map(([column, type]) => `${column} ${type}`);
        return `${name.padEnd(32)}${declared.length > 0 ? declared.join(', ') : 'no schema'}`;
      });
      return { text: lines.length > 0 ? lines.join('\n') : 'The app has no buckets.', json: { buckets: listed } };
    },
  },
  {
    name: 'bucket delete',
    summary: 'delete a bucket with its records and schemas',
    arguments: [name],
    options: { app, yes: yesOption },
    async run(call) {
      const { appId, bucket } = namesOf(call);
      confirmDeletion(call, `the bucket ${bucket} with its records`);
      await withServices(call.config(), ({ buckets }) => buckets.deleteBucket(appId, bucket, commandLine));
      return { text: `Deleted the bucket ${bucket}.`, json: { deleted: bucket } };
    },
  },
];
