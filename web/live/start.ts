import type { QueryClient } from '@tanstack/react-query';
import { applier } from './apply.ts';
import { listen } from './feed.ts';
import { remember } from './recent.ts';

/** Follows the feed, keeps the cache fresh by it and remembers the latest events. Returns the end of it. */
export function startLive(client: QueryClient): () => void {
  const apply = applier(client);
  return listen((event) => {
    apply(event);
    remember(event);
  });
}
