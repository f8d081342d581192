import { z } from 'zod';
import { AnyId, isPlain, plainOnly } from '#src/contracts/fields.ts';
import { AssertionCredential } from '#src/contracts/passkeys.ts';

/** Bodies of requests to `/api/auth` and of the sign-in pages. Source: docs/decisions/0034. */
const Email = z
  .email('expected an e-mail address such as name@example.com')
  .max(254)
  .transform((text) => text.toLowerCase());
const NewPassword = z.string().min(10, 'use at least 10 characters').max(128, 'use at most 128 characters');
const Password = z.string().min(1, 'type your password').max(128);
/** Page to open after the form: a path of this service, or an address on an allowed origin. */
const callbackURL = z.string().max(2_000).optional();

export const SignUp = z.strictObject({
  name: z.string().trim().min(1, 'type your name').max(200).refine(isPlain, plainOnly),
  email: Email,
  password: NewPassword,
  /** Secret of the link of an invitation. Required under SIGN_UP=invited, ignored otherwise. */
  invitationToken: AnyId.optional(),
  rememberMe: z.boolean().optional(),
  callbackURL,
});
export const SignIn = z.strictObject({
  email: Email,
  password: Password,
  rememberMe: z.boolean().optional(),
  callbackURL,
});
export const SignOut = z.strictObject({ callbackURL });
export const PasswordChange = z.strictObject({
  currentPassword: Password,
  newPassword: NewPassword,
  revokeOtherSessions: z.boolean().default(true),
});
/** Proves that the person of the session is present. Source: docs/decisions/0086. */
export const Reauthentication = z.union([
  z.strictObject({ password: Password }),
  z.strictObject({ code: z.string().regex(/^\d{6}$/, 'expected the 6 digits that the app shows') }),
  /** Answer of the browser to the options of `GET /api/auth/passkey/generate-authenticate-options`. */
  z.strictObject({ passkey: AssertionCredential }),
]);
/** 6 digits of the app, or a backup code. */
const SecondFactorCode = z.string().trim().min(6, 'type the code').max(40);
export const PasswordProof = z.strictObject({ password: Password });
export const SecondFactorConfirmation = z.strictObject({ code: SecondFactorCode });
export const SecondFactorSignIn = z.strictObject({
  code: SecondFactorCode,
  trustDevice: z.boolean().default(false).describe('true: this browser is not asked again for 30 days'),
  callbackURL,
});
/** Secret of a link in a mail. */
const LinkToken = z.string().min(1).max(128);
export const PasswordResetRequest = z.strictObject({ email: Email });
export const PasswordReset = z.strictObject({ token: LinkToken, newPassword: NewPassword });
export const SignUpConfirmation = z.strictObject({ token: LinkToken, password: Password });
export const AddressConfirmation = z.strictObject({ token: LinkToken });
export const SessionChoice = z.strictObject({ sessionId: AnyId });
export const NewOrganization = z.strictObject({
  name: z.string().trim().min(1, 'type a name').max(200).refine(isPlain, plainOnly),
  slug: z
    .string()
    .regex(/^[a-z0-9](-?[a-z0-9])*$/, 'use lower-case letters, digits and single hyphens')
    .max(100)
    .optional(),
});
export const OrganizationChoice = z.strictObject({ organizationId: AnyId });
export const InvitationChoice = z.strictObject({ invitationToken: AnyId });
export const Nothing = z.strictObject({});
