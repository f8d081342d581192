import { isLoopbackAddress } from '#src/domain/access/hosts/loopback-names.ts';

/** Same scheme, host and port; on one machine, any two names of it. */
function isSameOrigin(one: URL, other: URL): boolean {
  if (one.origin === other.origin) return true;
  const isHere = isLoopbackAddress(one.href) && isLoopbackAddress(other.href);
  return isHere && one.protocol === other.protocol && one.port === other.port;
}

/**
 * True if a client names our resource. Clients can use the URL that they were configured with, so a final slash and the query
 * parameters `toolsets` and `read_only` are ignored, and the names of one machine are alike. Source: RFC 8707 §2, docs/decisions/0045,
 * docs/decisions/0261.
 */
export function namesResource(given: string, ours: string): boolean {
  const [url, own] = [URL.parse(given), new URL(ours)];
  if (url === null || given.includes('#') || url.username !== '' || url.password !== '') return false;
  return isSameOrigin(url, own) && url.pathname.replace(/(?<=.)\/$/, '') === own.pathname;
}
