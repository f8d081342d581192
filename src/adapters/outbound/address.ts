import ipaddr from 'ipaddr.js';

/** Where clouds tell machines who they are; some of these are in public ranges. No list of the operator opens them. */
const metadata: ReadonlySet<string> = new Set(
  '169.254.169.254 169.254.170.2 169.254.170.23 100.100.100.200 168.63.129.16 192.0.0.192 fd00:ec2::254 fd00:ec2::23 fd20:ce::254'.split(
    ' ',
  ),
);

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** The one spelling of an address that the rules compare; null when the text is no plain IPv4 or IPv6 address. */
function plainAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (!text.includes(':') || text.includes('%') || !ipaddr.IPv6.isValid(text)) return null;
  const address = ipaddr.IPv6.parse(text);
  // A socket of both families tells an IPv4 peer so.
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** As the operator's list and the rules write it: `127.0.0.1`, `2001:db8::1`; null when it is no address. */
export function addressText(text: string): string | null {
  return plainAddress(text)?.toString() ?? null;
}

export function isMetadata(text: string): boolean {
  return metadata.has(addressText(text) ?? '');
}

/**
 * Whether the address belongs to somebody on the public internet: no loopback, private, link-local, shared, reserved or multicast
 * range, and no IPv6 form that carries an IPv4 address (NAT64, 6to4, Teredo, IPv4-compatible), whatever that is.
 * Source: IANA special-purpose address registries.
 */
export function isPublic(text: string): boolean {
  const address = plainAddress(text);
  if (address === null || metadata.has(address.toString())) return false;
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast';
  return address.range() === 'unicast' && address.match(globalUnicast);
}
