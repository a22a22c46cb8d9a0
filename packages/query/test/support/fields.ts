import { createFieldLookup, type FieldLookup, type MemberField } from '../../src/fields.ts';

/** Members that the schema of the test declares: amount, seen and open have number slots, label a text slot. */
const declared: Readonly<Record<string, Pick<MemberField, 'declared' | 'slot'>>> = {
  amount: { declared: 'number', slot: 'n1' },
  seen: { declared: 'date', slot: 'n2' },
  open: { declared: 'boolean', slot: 'n3' },
  label: { declared: 'string', slot: 't1' },
};

export function testFields(slots: boolean): FieldLookup {
  const find = (path: readonly string[]): MemberField => {
    const member = path.length === 1 ? declared[path[0] ?? ''] : undefined;
    return { from: 'member', column: 'doc', path, declared: member?.declared, slot: slots ? member?.slot : undefined };
  };
  return createFieldLookup(
    {
      objectId: { from: 'column', column: 'object_id', type: 'string', indexed: 'unique' },
      createdAt: { from: 'column', column: 'created_at', type: 'date' },
      title: { from: 'column', column: 'title', type: 'string' },
      size: { from: 'column', column: 'size', type: 'number' },
      whole: { from: 'column', column: 'whole', type: 'number', indexed: true },
      flag: { from: 'column', column: 'flag', type: 'boolean' },
      owner: { from: 'column', column: 'owner', type: 'pointer', className: '_User' },
      place: { from: 'column', column: 'place', type: 'json' },
    },
    { name: 'metadata', find },
  );
}
