import { isIP } from 'node:net';
import { z } from 'zod';

export const httpUrl = z.url({ protocol: /^https?$/, error: 'expected an http or https URL' });

/** An address without a path: forms, cookies and OAuth metadata are at the root of a host. */
export const rootUrl = (expected: string) =>
  httpUrl.refine((text) => {
    if (!URL.canParse(text)) return true;
    const { pathname, search, hash, username, password } = new URL(text);
    return /^\/*$/.test(pathname) && search + hash + username + password === '';
  }, `expected scheme and host only, such as ${expected}`);

/** Splits at commas and drops empty parts. */
const commaList = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

export const hostLines = commaList
  .pipe(
    z.array(
      z
        .string()
        .regex(
          /^((\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(:\d{1,5})?$/i,
          'expected host, host:port, *.example.com or [IPv6]:port, comma-separated',
        ),
    ),
  )
  .prefault('');

/** Scheme, host and port, in the form of the `Origin` header. */
export const originLines = commaList
  .pipe(
    z.array(
      z
        .string()
        .regex(/^https?:\/\/[a-z0-9.[\]:-]+$/i, 'expected origins such as https://app.example.com, comma-separated'),
    ),
  )
  .prefault('');

export const redisUrl = z
  .string()
  .refine(
    (text) => /^rediss?:$/.test(URL.parse(text)?.protocol ?? '') && /^\/?\d*$/.test(URL.parse(text)?.pathname ?? ''),
    'expected redis://user:password@host:6379/0 or rediss://..., with the number of a database at most',
  );

const proxyNames: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

function isProxyLine(line: string): boolean {
  if (proxyNames.has(line)) return true;
  const [address = '', bits, ...more] = line.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Values of the Express setting `trust proxy`. */
export const proxyLines = commaList
  .pipe(
    z.array(
      z.string().refine(isProxyLine, 'expected IP addresses, ranges such as 10.0.0.0/8, or loopback, comma-separated'),
    ),
  )
  .prefault('');
