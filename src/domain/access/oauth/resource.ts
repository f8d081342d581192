/**
 * True if a client names our resource. Clients can use the URL that they were configured with, so a final slash and the query
 * parameters `toolsets` and `read_only` are ignored. Source: RFC 8707 §2, docs/decisions/0045.
 */
export function namesResource(given: string, ours: string): boolean {
  const [url, own] = [URL.parse(given), new URL(ours)];
  if (url === null || given.includes('#') || url.username !== '' || url.password !== '') return false;
  return url.origin === own.origin && url.pathname.replace(/(?<=.)\/$/, '') === own.pathname;
}
