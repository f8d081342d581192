/**
 * Whether a client means our resource. Some name the very address that somebody gave them: what narrows a connection (`?toolsets=`,
 * `?read_only=`) and a slash at the end are no part of the resource. Source: RFC 8707 §2; mcp.md "Endpoint".
 */
export function namesResource(given: string, ours: string): boolean {
  const [url, own] = [URL.parse(given), new URL(ours)];
  if (url === null || given.includes('#') || url.username !== '' || url.password !== '') return false;
  return url.origin === own.origin && url.pathname.replace(/(?<=.)\/$/, '') === own.pathname;
}
