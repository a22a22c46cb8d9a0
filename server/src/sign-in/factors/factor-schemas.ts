import { Type } from 'typebox';
import { exampleCreated, exampleId, objectIdSchema, timestampSchema } from '../../http/answers.ts';
import { defineShape } from '../../http/shape.ts';

const encoded = (maxLength: number) => Type.String({ minLength: 1, maxLength, description: 'base64url' });
const credentialId = encoded(1_400);

/** Beyond these, WebAuthn knows members that this service does not need. */
const common = {
  id: credentialId,
  rawId: credentialId,
  type: Type.Literal('public-key'),
  clientExtensionResults: Type.Object({}),
};

/** A passkey's answer to `navigator.credentials.get`. */
export const signatureSchema = Type.Object(
  {
    ...common,
    response: Type.Object({
      clientDataJSON: encoded(4_000),
      authenticatorData: encoded(4_000),
      signature: encoded(8_000),
      userHandle: Type.Optional(Type.String({ maxLength: 200 })),
    }),
  },
  { description: 'AuthenticationResponseJSON of WebAuthn' },
);

/** A passkey's answer to `navigator.credentials.create`. */
export const registrationSchema = Type.Object(
  {
    ...common,
    response: Type.Object({
      clientDataJSON: encoded(4_000),
      attestationObject: encoded(40_000),
      transports: Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { maxItems: 20 })),
    }),
  },
  { description: 'RegistrationResponseJSON of WebAuthn' },
);

const name = Type.String({ minLength: 1, maxLength: 100, description: 'What its owner calls it' });

export const signatureShape = defineShape(Type.Object({ passkey: signatureSchema }));
export const newPasskeyShape = defineShape(Type.Object({ name, passkey: registrationSchema }));
export const passkeyNameShape = defineShape(Type.Object({ name }));
export const codeShape = defineShape(
  Type.Object({ code: Type.String({ maxLength: 20, description: 'The six digits that the app shows' }) }),
);

const exampleText = 'U29tZSBieXRlcw';
const exampleAnswer = { id: exampleText, rawId: exampleText, type: 'public-key', clientExtensionResults: {} };
export const signatureExample = {
  ...exampleAnswer,
  response: { clientDataJSON: exampleText, authenticatorData: exampleText, signature: exampleText },
};
export const registrationExample = {
  ...exampleAnswer,
  response: { clientDataJSON: exampleText, attestationObject: exampleText, transports: ['internal'] },
};

export const passkeySchema = Type.Object({
  passkeyId: objectIdSchema,
  name: Type.String(),
  host: Type.String({ description: 'The host name to which it is bound' }),
  synced: Type.Boolean({ description: 'Whether a password manager may copy it to other devices' }),
  createdAt: timestampSchema,
  lastUsedAt: Type.Union([timestampSchema, Type.Null()]),
});
export const passkeyExample = {
  passkeyId: exampleId,
  name: 'Work laptop',
  host: 'pharos.museum.example',
  synced: false,
  createdAt: exampleCreated,
  lastUsedAt: null,
};

export const recoveryCodesSchema = Type.Array(Type.String(), {
  description:
    'Ten codes that replace a second factor, each once. They are not shown again. Empty if there are some already',
});
export const recoveryCodesExample = ['k3f9-8w2m-q0zt-5ycd', 'p7hx-4rje-1n6v-09ab'];

export const factorsSchema = Type.Object({
  hasPassword: Type.Boolean(),
  totp: Type.Union([Type.Object({ since: timestampSchema }), Type.Null()]),
  passkeys: Type.Array(passkeySchema),
  recoveryCodesLeft: Type.Integer(),
  required: Type.Boolean({ description: 'Everybody needs a second factor' }),
});
export const totpSchema = Type.Object({
  secret: Type.String({ description: 'In base32, to type it' }),
  address: Type.String({ description: 'For the QR code' }),
});
export const totpExample = {
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  address:
    'otpauth://totp/Pharos:ada%40museum.example?issuer=Pharos&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
};

/** The members are those of WebAuthn; the browser knows them. */
export const creationOptionsSchema = Type.Object(
  { challenge: Type.String() },
  { additionalProperties: true, description: 'PublicKeyCredentialCreationOptionsJSON of WebAuthn' },
);
export const requestOptionsSchema = Type.Object(
  { challenge: Type.String() },
  { additionalProperties: true, description: 'PublicKeyCredentialRequestOptionsJSON of WebAuthn' },
);
export const requestOptionsExample = {
  challenge: 'c29tZSByYW5kb20gYnl0ZXM',
  rpId: 'pharos.museum.example',
  timeout: 300_000,
  userVerification: 'required',
  allowCredentials: [],
};
export const creationOptionsExample = {
  challenge: 'c29tZSByYW5kb20gYnl0ZXM',
  rp: { name: 'Pharos', id: 'pharos.museum.example' },
  user: { id: exampleText, name: 'ada@museum.example', displayName: 'Ada Example' },
  pubKeyCredParams: [{ alg: -7, type: 'public-key' }],
  timeout: 300_000,
  attestation: 'none',
};
