import { redirectLimits } from '#src/contracts/oauth.ts';

/**
 * Schemes that are not private to an installed program: browsers and operating systems execute, show or open the rest of the URI.
 * Every other scheme counts as private-use. Source: RFC 8252 §7.1, RFC 9700 §4.1.
 */
const foreignSchemes = new Set(
  `about acct blob cid chrome chrome-error chrome-extension content data dict dns edge feed file filesystem ftp ftps geo git gopher http
  imap im intent irc ircs jar javascript jdbc ldap ldaps livescript magnet mailto mhtml mid mms moz-extension ms-its ms-settings news nfs
  nntp opera pop pres res resource rtmp rtsp sftp shell sip sips smb sms smsto ssh steam svn tel telnet urn vbscript view-source vnc
  wais ws wss wyciwyg xmpp bitcoin callto facetime facetime-audio firefox googlechrome googlechromes matrix microsoft-edge
  microsoft-edge-holographic openpgp4fpr search-ms webcal wtai`.split(/\s+/),
);
/** Scheme families of web pages and system programs, whose URIs can lead to any address. */
const foreignFamily = /^(web\+|ext\+|ms-|x-safari-|com-apple-|shortcuts$)/;

/** Literal loopback hosts only: no other spelling, and no host that only starts like one. */
const loopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?([/?].*)?$/;

const fragmentOrUnprintable = /[^!-~]|[#\\"<>^`{|}]/;

/** True for `https://host/...` without user name and password. */
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
  // `host:port` is a URL without its scheme, not a scheme of its own.
  const scheme = /^([a-z][a-z0-9+.-]*):(?!\d+(?:[/?]|$))./i.exec(uri)?.[1]?.toLowerCase();
  return scheme !== undefined && scheme !== 'https' && !isForeign(scheme) && URL.canParse(uri);
}

/**
 * True if a redirect URI can be registered: `https`, `http` on loopback, or a private-use scheme of an installed program; without
 * fragment, user information, wildcard, white space and backslash. Source: RFC 6749 §3.1.2, RFC 8252 §7.
 */
export function isRedirectAllowed(uri: string): boolean {
  if (uri.length > redirectLimits.length || fragmentOrUnprintable.test(uri)) return false;
  return isHttps(uri) || isLoopback(uri) || isPrivateUse(uri);
}

/**
 * True if `given` equals the registered URI. The port of a loopback URI can differ, since programs listen on any free port.
 * Source: RFC 9700 §2.1, RFC 8252 §7.3.
 */
export function redirectMatches(registered: string, given: string): boolean {
  if (!isRedirectAllowed(given)) return false;
  if (registered === given) return true;
  const [one, other] = [loopback.exec(registered), loopback.exec(given)];
  return one !== null && other !== null && one[1] === other[1] && (one[3] ?? '') === (other[3] ?? '');
}

/** Host with port, or the scheme of an installed program, to show to users. ASCII. */
export function redirectHost(uri: string): string {
  const { host, protocol } = new URL(uri);
  return protocol === 'https:' || protocol === 'http:' ? host : protocol;
}
