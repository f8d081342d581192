import type { SecretBinding } from '#src/domain/access/secret-hosts.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { FailureReason } from '#src/domain/failure-reason.ts';

/** The host could not be reached: its name, the connection or TLS failed, or it did not answer in time. Code: `outbound.failed`. */
export class UnreachableError extends AppError {
  constructor(detail: string, more: { readonly cause?: unknown; readonly reason?: FailureReason } = {}) {
    super('outbound.failed', detail, { reason: 'unreachable', ...more });
  }
}

export interface OutboundRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Limit on the bytes of the response body. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Secrets in headers or body. A host that one of them is not bound to is refused with `secret.unbound`. */
  readonly secrets?: readonly SecretBinding[];
}

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Calls to addresses that users enter. Allows http(s) to public addresses, and to hosts that the operator listed. The address is checked
 * as text, after every name lookup, and when connecting; redirects are not followed. Errors: `outbound.refused` and `secret.unbound` (before a byte
 * is sent), `outbound.failed`. Source: docs/decisions/0031.
 */
export interface Outbound {
  send(request: OutboundRequest): Promise<OutboundAnswer>;
  /** Reason why an address can never be called, judged by its text. null when it may be allowed. For checks before a run. */
  refuses(url: string): string | null;
}
