import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

/** Options of a ceremony, as the API sends them. */
export interface CeremonyOptions {
  readonly challenge: string;
  readonly rp?: { readonly id: string };
  readonly rpId?: string;
  readonly user?: { readonly id: string };
}

/** Lies of one ceremony. */
export interface Lies {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly isVerified?: boolean;
  /** Value of the counter; default: the next one. */
  readonly counter?: number;
  /** Attestation format and statement; default: `none`. */
  readonly attestation?: { readonly fmt: string; readonly attStmt: Map<string, unknown> };
  readonly credentialId?: Buffer;
}

export interface Passkey {
  readonly id: Buffer;
  readonly privateKey: KeyObject;
  readonly userHandle: string;
  counter: number;
}

const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest();
/** AAGUID of 1Password, which the plugin knows by name. */
const aaguid = Buffer.from('bada5566a7aa401fbd9645619a55120d', 'hex');
const flags = { present: 1, verified: 4, backupEligible: 8, backedUp: 16, attested: 64 };

/**
 * An authenticator in software: ES256 keys, CBOR and signatures as WebAuthn level 3 has them. It tells the truth about origin and rpID
 * unless it is told to lie. `counts`: its counter goes up; most synced passkeys send 0 always.
 */
export function createAuthenticator({ origin, counts = true }: { readonly origin: string; readonly counts?: boolean }) {
  const clientData = (type: string, challenge: string, lies: Lies): Buffer =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? origin,
        crossOrigin: false,
      }),
    );
  const head = (rpId: string, bits: number, counter: number): Buffer => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([bits]), count]);
  };
  const bitsOf = ({ isVerified = true }: Lies): number =>
    flags.present | flags.backupEligible | flags.backedUp | (isVerified ? flags.verified : 0);

  return {
    register(options: CeremonyOptions, lies: Lies = {}): { readonly passkey: Passkey; readonly response: object } {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      const cose = new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
        [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
      ]);
      const id = lies.credentialId ?? randomBytes(32);
      const counter = lies.counter ?? 0;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const authData = Buffer.concat([
        head(lies.rpId ?? options.rp?.id ?? '', bitsOf(lies) | flags.attested, counter),
        aaguid,
        length,
        id,
        isoCBOR.encode(cose),
      ]);
      const { fmt, attStmt } = lies.attestation ?? { fmt: 'none', attStmt: new Map<string, unknown>() };
      const attestation = new Map<string, unknown>([
        ['fmt', fmt],
        ['attStmt', attStmt],
        ['authData', new Uint8Array(authData)],
      ]);
      return {
        passkey: { id, privateKey, userHandle: options.user?.id ?? '', counter },
        response: {
          id: id.toString('base64url'),
          rawId: id.toString('base64url'),
          type: 'public-key',
          authenticatorAttachment: 'platform',
          clientExtensionResults: { credProps: { rk: true } },
          response: {
            clientDataJSON: clientData('webauthn.create', options.challenge, lies).toString('base64url'),
            attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
            transports: ['internal', 'hybrid'],
          },
        },
      };
    },

    sign(passkey: Passkey, options: CeremonyOptions, lies: Lies = {}): object {
      passkey.counter = lies.counter ?? (counts ? passkey.counter + 1 : 0);
      const data = clientData('webauthn.get', options.challenge, lies);
      const authData = head(lies.rpId ?? options.rpId ?? '', bitsOf(lies), passkey.counter);
      const signature = sign('sha256', Buffer.concat([authData, sha256(data)]), passkey.privateKey);
      const id = (lies.credentialId ?? passkey.id).toString('base64url');
      return {
        id,
        rawId: id,
        type: 'public-key',
        authenticatorAttachment: 'platform',
        clientExtensionResults: {},
        response: {
          clientDataJSON: data.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: signature.toString('base64url'),
          userHandle: passkey.userHandle,
        },
      };
    },
  };
}
