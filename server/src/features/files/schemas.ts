import { Type } from 'typebox';
import { exampleCreated, exampleId, objectIdSchema, recordStamps } from '../../http/answers.ts';

const name = Type.String({
  description: 'The stored name: 32 random hexadecimal digits, an underscore and the given name',
});
const url = Type.String({ description: 'The address at which anyone can read the file' });

const storedName = '9f86d081884c7d659a2feaa0c55ad015_hall.png';
const address = `https://pharos.example.org/files/0VnZxSfjT8aQpR2sUvWy/${storedName}`;

export const uploadedAnswer = {
  status: 201,
  description: 'Stored.',
  schema: Type.Object({ objectId: objectIdSchema, name, url }),
  example: { objectId: exampleId, name: storedName, url: address },
} as const;

export const fileRecord = {
  schema: Type.Object({
    objectId: objectIdSchema,
    name,
    contentType: Type.String({ description: 'The media type of the upload, without parameters' }),
    size: Type.Integer({ minimum: 0, description: 'Bytes' }),
    ...recordStamps,
    url,
  }),
  example: {
    objectId: exampleId,
    name: storedName,
    contentType: 'image/png',
    size: 48213,
    createdAt: exampleCreated,
    updatedAt: exampleCreated,
    url: address,
  },
};
