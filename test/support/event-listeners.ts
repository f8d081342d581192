import { vi } from 'vitest';
import type { TestApp } from '#test/support/test-app.ts';

/** Counts the listeners to events of organizations from now on. */
export function eventListeners({ app }: TestApp): () => number {
  const { events } = app.deps;
  const subscribe = events.subscribe.bind(events);
  let open = 0;
  vi.spyOn(events, 'subscribe').mockImplementation((organizationId, listener) => {
    open += 1;
    const stop = subscribe(organizationId, listener);
    return () => {
      open -= 1;
      stop();
    };
  });
  return () => open;
}
