import type { Outbound } from '#src/domain/ports/outbound.ts';

export interface IssuerMetadata {
  readonly jwksUri: string;
}

const keptMs = 60 * 60_000;
/** Pause after a failed request for metadata, so that not every call waits for it. */
const failureKeptMs = 5_000;
const withinMs = 5_000;
const mostBytes = 256 * 1024;

/** Addresses of RFC 8414 §3.1 and §5: its own, then those of OpenID Connect with the path of the issuer after and before. */
export function metadataLocations(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    ...new Set([
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
    ]),
  ];
}

function parsed(body: Buffer): Record<string, unknown> {
  const value: unknown = JSON.parse(body.toString());
  if (typeof value !== 'object' || value === null) throw new Error('the metadata of the issuer are not an object');
  return value as Record<string, unknown>;
}

async function discover(issuer: string, outbound: Pick<Outbound, 'send'>): Promise<IssuerMetadata> {
  for (const url of metadataLocations(issuer)) {
    const headers = { accept: 'application/json' };
    const { status, body } = await outbound.send({
      url,
      method: 'GET',
      headers,
      maxBytes: mostBytes,
      timeoutMs: withinMs,
    });
    if (status >= 500) throw new Error(`the metadata of the issuer answered ${status}`);
    if (status !== 200) continue;
    const { issuer: said, jwks_uri: jwksUri } = parsed(body);
    // RFC 8414 §3.3: otherwise one issuer could speak for another.
    if (said !== issuer) throw new Error('the metadata name another issuer');
    if (typeof jwksUri !== 'string' || !URL.canParse(jwksUri)) throw new Error('the metadata have no jwks_uri');
    return { jwksUri };
  }
  throw new Error('the issuer has no metadata');
}

/** Address of the keys of the issuer. Fetched once an hour; concurrent callers share the request. Throws when it fails. */
export function issuerMetadata(
  issuer: string,
  outbound: Pick<Outbound, 'send'>,
  now = (): number => performance.now(),
): () => Promise<IssuerMetadata> {
  let known: { readonly metadata: Promise<IssuerMetadata>; until: number } | null = null;
  return () => {
    if (known !== null && now() < known.until) return known.metadata;
    const metadata = discover(issuer, outbound).catch((error: unknown) => {
      asked.until = now() + failureKeptMs;
      throw error;
    });
    const asked = { metadata, until: now() + keptMs };
    known = asked;
    return metadata;
  };
}
