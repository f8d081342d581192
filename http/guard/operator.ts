import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** True for a request of the operator: from this machine, without a proxy in between, or with METRICS_TOKEN. */
export type IsOperator = (request: IncomingMessage) => boolean;

const loopback = /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/;
const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** A proxy on this machine connects from loopback too; it says so in one of these headers. */
function isForwarded({ headers }: IncomingMessage): boolean {
  return ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'].some((name) => name in headers);
}

export function operatorOf(token: string | null): IsOperator {
  const expected = token === null ? null : digest(`Bearer ${token}`);
  return (request) => {
    const { authorization } = request.headers;
    if (expected !== null && authorization !== undefined && timingSafeEqual(digest(authorization), expected))
      return true;
    return loopback.test(request.socket.remoteAddress ?? '') && !isForwarded(request);
  };
}
