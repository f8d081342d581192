import type { Request } from 'express';
import type { AccountCall } from '#src/domain/ports/sessions.ts';
import { networkOf } from '#http/guard/address.ts';
import { goneSignal } from '#http/gone-signal.ts';

/** Origin of an account action. */
export const callOf = ({ headers, ip, res }: Request): AccountCall => ({
  cookie: headers.cookie,
  userAgent: headers['user-agent'],
  ip,
  ...(ip !== undefined && { network: networkOf(ip) }),
  ...(res !== undefined && { signal: goneSignal(res) }),
});
