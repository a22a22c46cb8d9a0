import { Type } from 'typebox';
import { exampleId, timestampSchema } from '../../../http/answers.ts';
import { defineShape } from '../../../http/shape.ts';
import { isEmailAddress, maxEmailLength } from '../../../sign-in/email.ts';
import { everies } from './content/periods.ts';

const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

const id = Type.String({ minLength: 1, maxLength: 40 });
const members = {
  venueId: orNull(id, 'The objectId of the venue; null: the whole app'),
  every: Type.Enum([...everies], {
    description: 'On Mondays, or on the first of the month, at 07:00 on the clocks of the venue',
  }),
  isOn: Type.Boolean(),
  administrators: Type.Array(id, { maxItems: 30, description: 'The ids of administrators who get it' }),
  addresses: Type.Array(Type.String({ maxLength: maxEmailLength }), {
    maxItems: 20,
    description: 'Addresses of other people; each gets a mail to confirm it first',
  }),
};

export const reportShape = defineShape(Type.Object(members), {
  rules: ({ addresses = [] }) =>
    addresses.flatMap((email, at) =>
      isEmailAddress(email) ? [] : [{ field: `addresses.${at}`, problem: 'must be an e-mail address' }],
    ),
});

const states = ['waits', 'sent', 'failed', 'unsure', 'withheld'] as const;
const day = Type.String({ format: 'date' });

const mail = Type.Object({
  to: Type.String({ description: 'An address, a name, or a part of an address for those who may not see it' }),
  state: Type.Enum([...states], {
    description:
      'unsure: the connection broke while it was handed over; withheld: the person may not have it, or has not confirmed',
  }),
  message: Type.String({ description: 'Why; of one that waits, what the last try said' }),
  at: orNull(timestampSchema, 'When it came to an end'),
});

const recipient = Type.Object({
  kind: Type.Enum(['administrator', 'address']),
  id: Type.String(),
  name: Type.String(),
  email: orNull(Type.String(), 'null for those who may not see it'),
  state: Type.Enum(['gets', 'waits', 'withheld'], { description: 'waits: has not confirmed yet' }),
  message: Type.String({ description: 'Why nothing is sent to this person now' }),
});

export const reportSchema = Type.Object({
  reportId: Type.String(),
  ...members,
  name: Type.String({ description: 'Of the venue, or of the app' }),
  timeZone: Type.String(),
  recipients: Type.Array(recipient),
  next: orNull(Type.Object({ day, time: Type.String() }), 'null while it is off, and when its venue was deleted'),
  last: orNull(
    Type.Object({
      from: day,
      until: day,
      at: timestampSchema,
      problem: Type.String({ description: 'Why it was not sent to anybody' }),
      mails: Type.Array(mail),
    }),
    'null: none has been sent',
  ),
  createdBy: Type.String(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

const bodyExample = {
  venueId: null,
  every: 'week',
  isOn: true,
  administrators: [exampleId],
  addresses: ['director@example.org'],
};

const candidate = Type.Object({
  adminId: Type.String(),
  name: Type.String(),
  email: Type.String(),
  venueIds: orNull(Type.Array(Type.String()), 'The venues to which this administrator is limited; null: none'),
});

export const reportBody = { schema: Type.Object(members), example: bodyExample };
export const reportList = Type.Object({
  results: Type.Array(reportSchema),
  canMail: Type.Boolean({ description: 'Whether a mail server is set up' }),
  candidates: Type.Array(candidate, {
    description: 'Administrators who can get a report, as far as the caller may see them',
  }),
});
export const previewRecord = Type.Object({
  from: day,
  until: day,
  subject: Type.String(),
  html: Type.String({ description: 'As it is mailed' }),
  text: Type.String(),
});
export const sentRecord = Type.Object({
  to: Type.String(),
  ok: Type.Boolean(),
  message: Type.String({ description: 'What went wrong' }),
});
