import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '#scripts/bench/figures.ts';
import { senderFrom } from '#scripts/siege/send.ts';

/** Responses that an ordinary client got from the service. */
export interface Experience {
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
  /** Responses with 5xx, and connections that broke. */
  readonly failed: number;
  /** Responses with 429: the service took the tenant for the attacker. */
  readonly limited: number;
}

const betweenMs = 25;

/** Times of the requests in milliseconds, and the other figures. */
interface Observed {
  readonly times: readonly number[];
  readonly failed: number;
  readonly limited: number;
}

export function experienceOf(observed: readonly Observed[]): Experience {
  const times = observed.flatMap((one) => one.times);
  const sum = (name: 'failed' | 'limited'): number => observed.reduce((total, one) => total + one[name], 0);
  return {
    requests: times.length,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    failed: sum('failed'),
    limited: sum('limited'),
  };
}

/** Session cookie of the tenant's person, as a browser sends it. */
export async function signedIn(api: string, email: string, password: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ email, password });
  const response = await fetch(new URL('/api/auth/sign-in/email', api), { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`sign-in answered ${response.status}: ${await response.text()}`);
  return response.headers
    .getSetCookie()
    .map((line) => line.slice(0, line.indexOf(';')))
    .join('; ');
}

/**
 * Asks for a document, its list and a presigned upload with a key, and for the list and the organization in the session of a person, in
 * turn, one request at a time, until the time is over.
 */
export async function ordinaryUse(
  { api, key, documentId, cookie }: { api: string; key: string; documentId: string; cookie: string },
  seconds: number,
): Promise<Observed> {
  using sender = senderFrom('127.0.0.1', new Map(), 1);
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const presign = JSON.stringify({ contentType: 'image/png', size: 70, visibility: 'private' });
  const requests = [
    { method: 'GET', url: `${api}/api/service/documents/${documentId}`, headers },
    { method: 'GET', url: `${api}/api/service/documents`, headers },
    { method: 'POST', url: `${api}/api/service/uploads/presign`, headers, body: presign },
    { method: 'GET', url: `${api}/api/dashboard/documents`, headers: { cookie } },
    { method: 'GET', url: `${api}/api/dashboard/context`, headers: { cookie } },
  ] as const;
  const times: number[] = [];
  let failed = 0;
  let limited = 0;
  const until = performance.now() + seconds * 1_000;
  while (performance.now() < until) {
    for (const request of requests) {
      const begun = performance.now();
      const { status } = await sender.send(request);
      times.push(performance.now() - begun);
      if (status === 0 || status >= 500) failed += 1;
      else if (status === 429) limited += 1;
      await pause(betweenMs);
    }
  }
  return { times, failed, limited };
}
