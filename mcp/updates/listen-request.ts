import type { SubscriptionFilter } from '@modelcontextprotocol/server';

export interface Listen {
  readonly id: unknown;
  readonly method: 'subscriptions/listen';
  readonly params: { readonly notifications: SubscriptionFilter };
}

/** The message, where it asks for a stream and is of the right form; the SDK answers all others. */
export function asListen(body: unknown): Listen | null {
  const { method, params } = (body ?? {}) as {
    method?: unknown;
    params?: { notifications?: SubscriptionFilter | null } | null;
  };
  const wanted = params?.notifications;
  if (method !== 'subscriptions/listen' || typeof wanted !== 'object' || wanted === null) return null;
  const uris: unknown = wanted.resourceSubscriptions ?? [];
  return Array.isArray(uris) && uris.every((uri) => typeof uri === 'string') ? (body as Listen) : null;
}
