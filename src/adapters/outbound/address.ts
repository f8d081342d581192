import ipaddr from 'ipaddr.js';

/** Metadata services of clouds, some in public ranges. No configuration allows them. */
const metadata =
  '169.254.169.254 169.254.170.2 169.254.170.23 100.100.100.200 168.63.129.16 192.0.0.192 fd00:ec2::254 fd00:ec2::23 fd20:ce::254';
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (!text.includes(':') || text.includes('%') || !ipaddr.IPv6.isValid(text)) return null;
  const address = ipaddr.IPv6.parse(text);
  // A dual-stack socket reports an IPv4 peer in this form.
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** Canonical form of an address for comparisons; null for text that is no plain IPv4 or IPv6 address. */
export function addressText(text: string): string | null {
  return parse(text)?.toString() ?? null;
}

/**
 * Classifies an address. `public` excludes loopback, private, link-local, shared, reserved and multicast ranges, and every IPv6 form that
 * carries an IPv4 address (NAT64, 6to4, Teredo, IPv4-compatible).
 * Source: IANA special-purpose address registries.
 */
export function kindOf(text: string): 'public' | 'metadata' | 'other' {
  const address = parse(text);
  if (address === null) return 'other';
  if (metadata.split(' ').includes(address.toString())) return 'metadata';
  const global = address instanceof ipaddr.IPv4 || address.match(globalUnicast);
  return global && address.range() === 'unicast' ? 'public' : 'other';
}
