import { AppError } from '#src/domain/app-error.ts';

/** Name and address that passkeys are bound to. Source: WebAuthn level 3, §4 "Relying Party Identifier". */
export interface RelyingParty {
  /** Host name. Another name, also a longer one, has passkeys of its own. */
  readonly id: string;
  readonly origin: string;
}

/** Form in which `URL` has addresses of IPv4 and IPv6. */
const address = /^(\d+\.\d+\.\d+\.\d+|\[.*\])$/;
const local = /(^|\.)localhost$/;

/** Relying party of the public address of the API. null: browsers allow no passkeys there, for a reason that `noPasskeysBecause` tells. */
export function relyingPartyOf(baseUrl: string): RelyingParty | null {
  return noPasskeysBecause(baseUrl) === null
    ? { id: new URL(baseUrl).hostname, origin: new URL(baseUrl).origin }
    : null;
}

/** The reason why an address has no passkeys; null: it has them. */
export function noPasskeysBecause(baseUrl: string): string | null {
  const { hostname, protocol, port } = new URL(baseUrl);
  if (address.test(hostname))
    return `Passkeys belong to a host name, and the address of this service, ${hostname}, is an IP address. The operator sets BASE_URL to a name: https://ink.example.com, or http://localhost${port && `:${port}`} on this machine.`;
  if (protocol !== 'https:' && !local.test(hostname))
    return `Passkeys need https, and the address of this service begins with http://. The operator serves ${hostname} over TLS, and sets BASE_URL to https://${hostname}.`;
  return null;
}

/** Error for calls about passkeys at an address that has none. */
export const passkeysUnavailable = (baseUrl: string): AppError =>
  new AppError('passkey.unavailable', noPasskeysBecause(baseUrl) ?? 'Passkeys are not available.');
