import { addressText, kindOf } from '#src/adapters/outbound/address.ts';

/** Addresses that may be called. `listed`: those that the operator lists. `public`: those, and every public https address. */
export interface Policy {
  readonly mode: 'listed' | 'public';
  /** `host`, `host:port`, `*.example.com`, `127.0.0.1:9000`, `[::1]:9000`. */
  readonly allow: readonly string[];
  /** `host:port` of services from the configuration, which may be on the private network of the operator. */
  readonly trusted?: readonly string[];
}

/** An address whose text was checked. */
export interface Target {
  readonly secure: boolean;
  /** A name, or an IP address without brackets. */
  readonly host: string;
  readonly isAddress: boolean;
  readonly port: number;
  /** Value of the `Host` header. */
  readonly authority: string;
  readonly path: string;
}

/** Ports that are allowed for any public host. The operator must list others. */
const publicPorts = [443, 8443];
const metadataReason = 'it leads to the metadata service of a cloud';
const reservedNames = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home|corp|arpa|onion|invalid|test)$/;
const metadataNames = /^(metadata(\.google\.internal|\.goog)?|instance-data(\.ec2\.internal)?)$/;
/** Scheme, host and port in a spelling that every parser reads alike. */
const form = /^(https?):\/\/([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::([0-9]{1,5}))?(?:[/?#]|$)/;

/** Parses a line of the list. Without a port it means the default port of the scheme. */
function linesOf({ allow }: Policy): { host: string; port: number | null }[] {
  return allow.map((line) => {
    const [, bracketed, plain = '', port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(line.toLowerCase()) ?? [];
    const host = bracketed ?? plain;
    return { host: addressText(host) ?? host, port: port === undefined ? null : Number(port) };
  });
}

/** The host of the list that allows the target: its name, or a pattern that fits. null: none does. */
function listedAs(policy: Policy, { host, port, secure }: Target): string | null {
  const found = linesOf(policy).find((line) => {
    const named = line.host.startsWith('*.') ? host.endsWith(line.host.slice(1)) : host === line.host;
    return named && port === (line.port ?? (secure ? 443 : 80));
  });
  return found?.host ?? null;
}

function isTrusted({ trusted = [] }: Policy, { host, port }: Pick<Target, 'host' | 'port'>): boolean {
  return trusted.includes(`${host}:${port}`);
}

/** Host that the operator configured or listed for the target, in the operator's words; null: a user alone named it. */
export function configuredHost(policy: Policy, target: Target): string | null {
  return isTrusted(policy, target) ? target.host : listedAs(policy, target);
}

/** Allows a private address only when it is listed with its port, or when a trusted name leads to it. */
export function addressProblem(policy: Policy, address: string, target: Pick<Target, 'host' | 'port'>): string | null {
  const { port } = target;
  const kind = kindOf(address);
  if (kind === 'metadata') return metadataReason;
  if (kind === 'public' || isTrusted(policy, target)) return null;
  const digits = addressText(address) ?? '';
  const open = linesOf(policy).some((line) => line.host === digits && line.port === port);
  return open ? null : 'it leads to an address that is not public';
}

function hostProblem(policy: Policy, target: Target): string | null {
  const { secure, host, isAddress, port } = target;
  if (isAddress) {
    const problem = addressProblem(policy, host, target);
    if (problem !== null) return problem;
  } else {
    if (metadataNames.test(host)) return metadataReason;
    // Some parsers read a name whose last label is digits as an IPv4 address.
    if (/(^|\.)(\d+|0x[0-9a-f]*)$/.test(host)) return 'its host is an IPv4 address in an unusual spelling';
    if (host.endsWith('.') || host.includes('..') || host.startsWith('.')) return 'its host has an empty label';
  }
  if (configuredHost(policy, target) !== null) return null;
  if (policy.mode === 'listed') return `the operator did not list its host ${target.authority} (OUTBOUND_ALLOW)`;
  if (!secure) return 'it must begin with https://';
  if (!publicPorts.includes(port)) return `its port must be one of ${publicPorts.join(', ')}`;
  if (!isAddress && (!host.includes('.') || reservedNames.test(host))) return 'its host is not a public name';
  return null;
}

/** Parses an address, or returns the reason for which it cannot be called. Makes no lookup. */
export function readTarget(policy: Policy, url: string): Target | { readonly refused: string } {
  if (url.length > 8_000) return { refused: 'it is longer than 8,000 characters' };
  if (/[^\x21-\x7e]|\\/.test(url)) return { refused: 'it has characters that an address must encode' };
  const [, scheme, written = '', digits] = form.exec(url) ?? [];
  if (scheme === undefined)
    return { refused: 'it must be http(s)://host[:port]/..., with a plain host and without user or password' };
  const parsed = URL.parse(url);
  if (parsed === null || Number(digits ?? 1) === 0) return { refused: 'it is not a valid address' };
  const secure = scheme === 'https';
  const isAddress = parsed.hostname.startsWith('[') || addressText(parsed.hostname) !== null;
  // The parser turns octal, hexadecimal, short and whole-number IPv4 into four decimals; only addresses written so are accepted.
  if (!written.startsWith('[') && parsed.hostname !== written.toLowerCase())
    return { refused: 'its host is an IPv4 address in an unusual spelling' };
  const port = digits === undefined ? (secure ? 443 : 80) : Number(digits);
  const host = parsed.hostname.replace(/^\[|\]$/g, '');
  const path = `${parsed.pathname}${parsed.search}`;
  const target = { secure, host, isAddress, port, authority: parsed.host, path };
  const problem = hostProblem(policy, target);
  return problem === null ? target : { refused: problem };
}
