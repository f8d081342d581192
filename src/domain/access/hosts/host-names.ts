/**
 * The host name in a Host header, as the URL parser normalizes it: lower case, IPv6 in brackets, without port and final dot. null for text
 * that is none.
 */
export function hostNameOf(host: string): string | null {
  const name = /[/?#@\\]/.test(host) ? undefined : URL.parse(`http://${host}`)?.hostname;
  return name === undefined || name === '' ? null : name.replace(/(?<=.)\.$/, '');
}
