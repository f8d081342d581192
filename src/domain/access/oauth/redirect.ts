import { redirectLimits } from '#src/contracts/oauth.ts';

/**
 * Schemes that no installed program owns: browsers and systems run, show or open what follows them, and some of these are a web address
 * of anybody. A private-use scheme is any other.
 * Source: RFC 8252 §7.1, RFC 9700 §4.1.
 */
const foreignSchemes = new Set(
  `about acct blob cid chrome chrome-error chrome-extension content data dict dns edge feed file filesystem ftp ftps geo git gopher http
  imap im intent irc ircs jar javascript jdbc ldap ldaps livescript magnet mailto mhtml mid mms moz-extension ms-its ms-settings news nfs
  nntp opera pop pres res resource rtmp rtsp sftp shell sip sips smb sms smsto ssh steam svn tel telnet urn vbscript view-source vnc
  wais ws wss wyciwyg xmpp bitcoin callto facetime facetime-audio firefox googlechrome googlechromes matrix microsoft-edge
  microsoft-edge-holographic openpgp4fpr search-ms webcal wtai`.split(/\s+/),
);
/** Of pages that took a scheme, and of programs of the system: what follows may be any address. */
const foreignFamily = /^(web\+|ext\+|ms-|x-safari-|com-apple-|shortcuts$)/;

/** Literal hosts only: no other spelling of an address of this machine, and nothing that merely begins like one. */
const loopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?([/?].*)?$/;

const fragmentOrUnprintable = /[^!-~]|[#\\"<>^`{|}]/;

/** Of `https://host/...`: no name, no password, a host. */
function isHttps(uri: string): boolean {
  if (!uri.startsWith('https://') || !URL.canParse(uri)) return false;
  const { username, password, hostname } = new URL(uri);
  return (
    username === '' && password === '' && hostname !== '' && !hostname.includes('*') && !/^https:\/\/[/@]/.test(uri)
  );
}

function isLoopback(uri: string): boolean {
  const port = loopback.exec(uri)?.[2];
  return loopback.test(uri) && (port === undefined || Number(port) <= 65_535);
}

const isForeign = (scheme: string): boolean => foreignSchemes.has(scheme) || foreignFamily.test(scheme);

function isPrivateUse(uri: string): boolean {
  // What looks like a host with its port is an address whose scheme was left out.
  const scheme = /^([a-z][a-z0-9+.-]*):(?!\d+(?:[/?]|$))./i.exec(uri)?.[1]?.toLowerCase();
  return scheme !== undefined && scheme !== 'https' && !isForeign(scheme) && URL.canParse(uri);
}

/**
 * Whether codes may be sent there: `https` anywhere, `http` on loopback only, or a private-use scheme of an installed program; without
 * fragment, user information, wildcard, white space or backslash. Source: RFC 6749 §3.1.2, RFC 8252 §7.
 */
export function isRedirectAllowed(uri: string): boolean {
  if (uri.length > redirectLimits.length || fragmentOrUnprintable.test(uri)) return false;
  return isHttps(uri) || isLoopback(uri) || isPrivateUse(uri);
}

/**
 * Whether `given` is the registered one: the same text, but that the port on loopback may be any, since a program takes what is free
 * when it starts. Source: RFC 9700 §2.1, RFC 8252 §7.3.
 */
export function redirectMatches(registered: string, given: string): boolean {
  if (!isRedirectAllowed(given)) return false;
  if (registered === given) return true;
  const [one, other] = [loopback.exec(registered), loopback.exec(given)];
  return one !== null && other !== null && one[1] === other[1] && (one[3] ?? '') === (other[3] ?? '');
}

/** What people are shown of it: the host with its port, or the scheme of an installed program. ASCII. */
export function redirectHost(uri: string): string {
  const { host, protocol } = new URL(uri);
  return protocol === 'https:' || protocol === 'http:' ? host : protocol;
}
