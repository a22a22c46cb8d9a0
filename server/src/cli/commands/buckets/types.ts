import type { SlotColumns } from '../../../features/data/buckets/definition/slots.ts';
import type { Command } from '../../support/command.ts';
import { withServices } from '../storage.ts';

const typeOf: Readonly<Record<SlotColumns[string], string>> = {
  Number: 'number',
  String: 'string',
  Boolean: 'boolean',
  Date: "string | { readonly __type: 'Date'; readonly iso: string }",
};

const isName = (text: string) => /^[A-Za-z_$][\w$]*$/.test(text);
/** Names of buckets and columns have letters, digits, dashes and underscores only. */
const nameOf = (text: string) => (isName(text) ? text : `'${text}'`);

/** A record may lack a declared member, have null there, and have others beside them. */
function bucketType({ name, columns }: { readonly name: string; readonly columns: SlotColumns }): string {
  const members = Object.entries(columns).map(
    ([member, type]) => `    readonly ${nameOf(member)}?: ${typeOf[type]} | null;\n`,
  );
  return `  readonly ${nameOf(name)}: {\n${members.join('')}    readonly [member: string]: unknown;\n  };\n`;
}

export const typesCommand: Command = {
  name: 'types',
  summary: 'print the TypeScript types of the buckets of an app',
  details: 'pharos types --app ID > schema.ts, and in the app: new PharosClient<Buckets>(…).',
  options: { app: { value: 'ID', help: 'the app', required: true } },
  async run(call) {
    const appId = call.text('app') ?? '';
    const { name, buckets } = await withServices(call.config(), async ({ apps, buckets }) => ({
      name: (await apps.get(appId)).name,
      buckets: await buckets.listBuckets(appId),
    }));
    const known = buckets.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    // A name may be anything, also the end of a comment.
    const about = `/** The buckets of ${name.replaceAll('*/', '* /').replaceAll('\n', ' ')}, as their schemas declare them. Written by \`pharos types\`. */`;
    const text = `${about}\nexport interface Buckets {\n${known.map(bucketType).join('')}}`;
    return { text, json: { appId, types: text } };
  },
};
