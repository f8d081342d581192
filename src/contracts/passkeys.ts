import { z } from 'zod';
import { AnyId, isPlain, plainOnly } from '#src/contracts/fields.ts';

/** Passkeys of one account. */
export const passkeysMax = 20;

const Bytes = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[A-Za-z0-9_-]+$/, 'expected base64url without padding');

/** Fields of `PublicKeyCredential.toJSON()`. Browsers add others in time, which are left out. */
const credential = {
  id: Bytes(1_400),
  rawId: Bytes(1_400),
  type: z.literal('public-key'),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).exactOptional(),
};
const noExtensions = z
  .unknown()
  .default({})
  .transform(() => ({}));

/** Answer of an authenticator to a registration. Source: WebAuthn level 3, `RegistrationResponseJSON`. */
const RegistrationCredential = z.object({
  ...credential,
  clientExtensionResults: noExtensions,
  response: z.object({
    clientDataJSON: Bytes(4_000),
    attestationObject: Bytes(8_000),
    transports: z
      .array(z.string().regex(/^[a-z-]{1,20}$/))
      .max(10)
      .optional(),
  }),
});

/** Answer of an authenticator to a sign-in. Source: WebAuthn level 3, `AuthenticationResponseJSON`. */
export const AssertionCredential = z.object({
  ...credential,
  clientExtensionResults: noExtensions,
  response: z.object({
    clientDataJSON: Bytes(4_000),
    authenticatorData: Bytes(4_000),
    signature: Bytes(2_000),
    userHandle: Bytes(128).exactOptional(),
  }),
});

export type AssertionCredential = z.output<typeof AssertionCredential>;

const PasskeyName = z
  .string()
  .trim()
  .min(1, 'type a name')
  .max(60, 'use at most 60 characters')
  .refine(isPlain, plainOnly);

/** Bodies of requests to `/api/auth/passkey`. Source: docs/decisions/0102. */
export const PasskeyRegistration = z.strictObject({
  response: RegistrationCredential,
  name: PasskeyName.optional().describe('default: the name of the password manager, if it tells one'),
});
export const PasskeySignIn = z.strictObject({
  response: AssertionCredential,
  callbackURL: z.string().max(2_000).optional(),
});
export const PasskeyChoice = z.strictObject({ id: AnyId });
export const PasskeyChange = z.strictObject({ id: AnyId, name: PasskeyName });
