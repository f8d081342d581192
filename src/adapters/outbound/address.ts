import ipaddr from 'ipaddr.js';

/** Where clouds tell machines who they are; some of these are in public ranges. No list of the operator opens them. */
const metadata =
  '169.254.169.254 169.254.170.2 169.254.170.23 100.100.100.200 168.63.129.16 192.0.0.192 fd00:ec2::254 fd00:ec2::23 fd20:ce::254';
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (!text.includes(':') || text.includes('%') || !ipaddr.IPv6.isValid(text)) return null;
  const address = ipaddr.IPv6.parse(text);
  // A socket of both families tells an IPv4 peer so.
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** The one spelling that the rules and the operator's list are compared in; null when the text is no plain IPv4 or IPv6 address. */
export function addressText(text: string): string | null {
  return parse(text)?.toString() ?? null;
}

/**
 * `public` is what belongs to somebody on the internet: no loopback, private, link-local, shared, reserved or multicast range, and
 * no IPv6 form that carries an IPv4 address (NAT64, 6to4, Teredo, IPv4-compatible), whatever that is.
 * Source: IANA special-purpose address registries.
 */
export function kindOf(text: string): 'public' | 'metadata' | 'other' {
  const address = parse(text);
  if (address === null) return 'other';
  if (metadata.split(' ').includes(address.toString())) return 'metadata';
  const global = address instanceof ipaddr.IPv4 || address.match(globalUnicast);
  return global && address.range() === 'unicast' ? 'public' : 'other';
}
