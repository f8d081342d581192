import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';

/** True for the address of a reverse proxy of TRUSTED_PROXIES. */
export type Trusts = (address: string) => boolean;

export function trustOf(trustedProxies: readonly string[]): Trusts {
  const trusts = proxyAddr.compile([...trustedProxies]);
  return (address) => trusts(address, 0);
}

/** Address of the caller: that of the connection, or the one that trusted proxies report. */
export function addressOf(request: IncomingMessage, trusts: Trusts): string {
  // A connection that closed has no address any more.
  return request.socket.remoteAddress === undefined ? '' : proxyAddr(request, trusts);
}

/** Bits of the network that one IPv6 customer gets. */
const networkBits = 64;

/** Groups the addresses that one caller has: an IPv4 address, or an IPv6 network of 64 bits. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/${networkBits}`).toString()}/${networkBits}`;
}
