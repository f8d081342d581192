import type { SubscriptionFilter } from '@modelcontextprotocol/server';

/** A request for a stream of updates. Source: MCP 2026-07-28, `subscriptions/listen`. */
export interface ListenRequest {
  readonly id: string | number;
  readonly method: 'subscriptions/listen';
  readonly params: {
    /** `taskIds` belongs to the Tasks extension. */
    readonly notifications: SubscriptionFilter & { readonly taskIds?: unknown };
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

export const areStrings = (values: unknown): values is readonly string[] =>
  Array.isArray(values) && values.every((value) => typeof value === 'string');

/** Parses a well-formed request for a stream; null for other messages, which the SDK handles. */
export function asListen(body: unknown): ListenRequest | null {
  const { method, params } = (body ?? {}) as {
    method?: unknown;
    params?: { notifications?: { resourceSubscriptions?: unknown } | null } | null;
  };
  const wanted = params?.notifications;
  if (method !== 'subscriptions/listen' || typeof wanted !== 'object' || wanted === null) return null;
  return areStrings(wanted.resourceSubscriptions ?? []) ? (body as ListenRequest) : null;
}
