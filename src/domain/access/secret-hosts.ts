/** Place that a request goes to, as the outbound adapter read it from the URL. */
export interface Destination {
  readonly secure: boolean;
  /** Lower case; an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** A secret by its name, with the hosts that it may be sent to. */
export interface SecretBinding {
  readonly name: string;
  readonly hosts: readonly string[];
}

const form = /^(http:\/\/)?(\*\.)?([a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::(\d{1,5}))?$/;

interface Line extends Destination {
  readonly wildcard: boolean;
}

function read(line: string): Line | null {
  const [, plain, star, host = '', digits] = form.exec(line) ?? [];
  const secure = plain === undefined;
  if (host === '' || !URL.canParse(`https://${host}/`)) return null;
  // Another spelling of an address, such as 127.1, would never match.
  if (new URL(`https://${host}/`).hostname !== host || host.endsWith('.')) return null;
  const port = digits === undefined ? (secure ? 443 : 80) : Number(digits);
  if (port < 1 || port > 65_535) return null;
  const wildcard = star !== undefined;
  if (wildcard && (!host.includes('.') || /^\[|\.\d+$/.test(host))) return null;
  return { secure, wildcard, host: host.replace(/^\[(.*)\]$/, '$1'), port };
}

/** True for a line that can be kept: `api.example.org`, `*.example.org`, `api.example.org:8443`, `http://127.0.0.1:9000`. */
export function isSecretHost(line: string): boolean {
  return read(line) !== null;
}

/**
 * True if a secret with this line may be sent there. A wildcard stands for exactly one label. Without a port a line means 443; plain http
 * needs `http://` in front. Source: docs/decisions/0089.
 */
function covers(line: string, to: Destination): boolean {
  const allowed = read(line);
  if (allowed === null || allowed.secure !== to.secure || allowed.port !== to.port) return false;
  if (!allowed.wildcard) return allowed.host === to.host;
  const rest = `.${allowed.host}`;
  return to.host.endsWith(rest) && /^[^.]+$/.test(to.host.slice(0, -rest.length));
}

/** Spelling of a destination as a line. */
function lineOf({ secure, host, port }: Destination): string {
  const name = host.includes(':') ? `[${host}]` : host;
  const usual = port === (secure ? 443 : 80);
  return `${secure ? '' : 'http://'}${name}${usual ? '' : `:${port}`}`;
}

/** Says which secret may not go there, and the way out; null if all may. */
export function unboundSecret(
  secrets: readonly SecretBinding[],
  to: Destination,
): { readonly message: string; readonly hint: string } | null {
  const found = secrets.find(({ hosts }) => !hosts.some((line) => covers(line, to)));
  if (found === undefined) return null;
  const line = lineOf(to);
  const none = found.hosts.length === 0 ? ' It is bound to no host yet.' : '';
  return {
    message: `Secret ${found.name} is not bound to ${line}.${none}`,
    hint: `Ask an admin to set the secret again with "${line}" in its hosts, or call a host that it is bound to.`,
  };
}

/** Destination of a URL whose scheme and host are written out; null for others. */
export function destinationOf(url: string): Destination | null {
  const [origin] = /^https?:\/\/[^/?#\\{}\s@]+(?=[/?#]|$)/i.exec(url) ?? [];
  if (origin === undefined || !URL.canParse(origin)) return null;
  const { protocol, hostname, port } = new URL(origin);
  const secure = protocol === 'https:';
  return {
    secure,
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (secure ? 443 : 80) : Number(port),
  };
}
