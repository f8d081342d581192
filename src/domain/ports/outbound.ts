export interface OutboundRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Bytes of the answer's body beyond which it fails. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Calls to addresses that users name. Only http(s) to public addresses, or to hosts the operator listed: the address is checked as
 * written, after every name lookup, and at the moment of connecting; redirects are not followed. Errors: `outbound.refused` (before
 * a byte is sent), `outbound.failed`. Source: docs/decisions/0031.
 */
export interface Outbound {
  send(request: OutboundRequest): Promise<OutboundAnswer>;
  /** Why an address can never be called, as far as its text tells; null when it may be. For checks before a run. */
  refuses(url: string): string | null;
}
