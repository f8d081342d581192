import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { forgetOld } from './forget-old.ts';
import { Problem } from './problem.ts';

const mostAttempts = 3;
const sometimes = new Set([0, 429, 502, 503, 504]);

/** Waits and failures that pass by themselves are tried again; a refusal is final. */
function again(failures: number, error: unknown): boolean {
  return error instanceof Problem && sometimes.has(error.status) && failures < mostAttempts;
}

function delay(failures: number, error: unknown): number {
  if (error instanceof Problem && error.retryAfter !== null) return Math.min(error.retryAfter, 30) * 1_000;
  return 500 * 2 ** failures;
}

/** Leads to the sign-in page and back here. */
function signIn(): void {
  const here = location.pathname + location.search + location.hash;
  location.assign(`/sign-in?returnTo=${encodeURIComponent(here)}`);
}

const onError = (error: unknown): void => {
  if (error instanceof Problem && error.status === 401) signIn();
};

/** Cache of everything that the pages read. The realtime feed keeps it fresh. */
export function createQueryClient(): QueryClient {
  const queryCache = new QueryCache({ onError });
  forgetOld(queryCache);
  return new QueryClient({
    queryCache,
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { staleTime: 30_000, retry: again, retryDelay: delay, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  });
}
