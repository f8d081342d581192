import { getAuthenticatorName, passkey } from '@better-auth/passkey';
import { decodeAttestationObject, isoBase64URL } from '@simplewebauthn/server/helpers';
import { APIError, type createAuthMiddleware, getSessionFromCtx } from 'better-auth/api';
import { passkeysMax } from '#src/contracts/passkeys.ts';
import type { RelyingParty } from '#src/domain/access/relying-party.ts';
import type { passkeyCodes } from '#src/adapters/sessions/outcome.ts';
import type { Watch } from '#src/adapters/sessions/watch.ts';
import type { PasskeyStore } from '#src/stores/passkeys.ts';

export interface PasskeyParts {
  readonly store: PasskeyStore;
  readonly watch: Watch;
  /** null: the address of the service has no passkeys, and nobody gets to the endpoints. */
  readonly party: RelyingParty | null;
}

export const signInPath = '/passkey/verify-authentication';
export const registrationPath = '/passkey/verify-registration';
const challengeCookie = 'passkey_challenge';
const refused = (code: keyof typeof passkeyCodes, status: 'BAD_REQUEST' | 'UNAUTHORIZED' = 'BAD_REQUEST'): APIError =>
  new APIError(status, { code, message: code });

type HookContext = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0];
type Options = NonNullable<Parameters<typeof passkey>[0]>;
type Registered = NonNullable<NonNullable<Options['registration']>['afterVerification']>;
type Asserted = NonNullable<NonNullable<Options['authentication']>['afterVerification']>;

/** The library accepts credentials without user verification; we do not. */
function registering({ store }: PasskeyParts): Registered {
  return async ({ verification, user }) => {
    const { registrationInfo } = verification;
    if (registrationInfo?.userVerified !== true) throw refused('USER_NOT_VERIFIED');
    // Without attestation, the sender of a registration chooses its id.
    if ((await store.ownerOf(registrationInfo.credential.id)) !== null) throw refused('CREDENTIAL_TAKEN');
    if ((await store.count(user.id)) >= passkeysMax) throw refused('TOO_MANY_PASSKEYS');
    return { name: getAuthenticatorName(registrationInfo.aaguid) ?? 'Passkey' };
  };
}

/** Runs before the library opens a session. A proof of presence ends here: it opens none. */
function asserting({ store, watch }: PasskeyParts): Asserted {
  return async ({ verification, ctx }) => {
    const { userVerified, credentialID, newCounter } = verification.authenticationInfo;
    if (!userVerified) throw refused('AUTHENTICATION_FAILED', 'UNAUTHORIZED');
    const owner = await store.ownerOf(credentialID);
    const person = watch.toProve;
    if (person !== null && owner !== person) throw refused('AUTHENTICATION_FAILED', 'UNAUTHORIZED');
    // The library would open a session first, and look for its person then.
    if (owner === null || (await ctx.context.internalAdapter.findUserById(owner)) === null)
      throw refused('AUTHENTICATION_FAILED', 'UNAUTHORIZED');
    if (!(await store.use(credentialID, newCounter, new Date())))
      throw refused('AUTHENTICATION_FAILED', 'UNAUTHORIZED');
    if (person !== null) throw refused('PRESENCE_PROVED');
  };
}

/** Passkeys with user verification, without attestation. Source: docs/decisions/0102. */
export function passkeyPlugin(parts: PasskeyParts) {
  const { party } = parts;
  const plugin = passkey({
    rpName: 'Inkgraph',
    rpID: party?.id ?? 'passkeys.invalid',
    origin: party?.origin ?? 'https://passkeys.invalid',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    advanced: { webAuthnChallengeCookie: challengeCookie },
    registration: { afterVerification: registering(parts) },
    authentication: { afterVerification: asserting(parts) },
  });
  const { passkey: table } = plugin.schema;
  const lastUsedAt = { type: 'date' as const, required: false, input: false };
  return {
    ...plugin,
    schema: { passkey: { ...table, modelName: 'passkeys', fields: { ...table.fields, lastUsedAt } } },
  };
}

const sessionIdIn = async (ctx: HookContext): Promise<string | null> =>
  (await getSessionFromCtx(ctx))?.session.id ?? null;

/** Binds a new challenge to the session that asked for it, or to none. The library binds it to a cookie alone. */
export async function boundChallenge(
  value: string,
  ctx: HookContext | null,
): Promise<{ readonly value: string } | null> {
  if (ctx === null || !ctx.path.startsWith('/passkey/generate-')) return null;
  return { value: JSON.stringify({ ...(JSON.parse(value) as object), sessionId: await sessionIdIn(ctx) }) };
}

/**
 * Refuses attestation statements with certificates. We ask for none, and the library would fetch lists of revoked certificates from the
 * address in a certificate that the caller made.
 */
function refuseCertificates(ctx: HookContext): void {
  const { response } = ctx.body as { readonly response: { readonly response: { readonly attestationObject: string } } };
  let isPlain: boolean;
  try {
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.response.attestationObject));
    const format: unknown = attestation.get('fmt');
    isPlain = format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined);
  } catch {
    throw refused('FAILED_TO_VERIFY_REGISTRATION');
  }
  if (!isPlain) throw refused('ATTESTATION_UNWANTED');
}

/** Runs before the library checks an answer: the challenge must be of this session, and is used up by the library. */
export async function beforeCeremony(ctx: HookContext): Promise<void> {
  if (ctx.path !== signInPath && ctx.path !== registrationPath) return;
  const { createAuthCookie, secret, internalAdapter } = ctx.context;
  const token = await ctx.getSignedCookie(createAuthCookie(challengeCookie).name, secret);
  const found = token ? await internalAdapter.findVerificationValue(token) : null;
  // The library refuses what it does not find.
  if (found !== null) {
    const { sessionId = null } = JSON.parse(found.value) as { readonly sessionId?: string | null };
    if (sessionId !== (await sessionIdIn(ctx))) throw refused('CHALLENGE_NOT_FOUND');
  }
  if (ctx.path === registrationPath) refuseCertificates(ctx);
}
