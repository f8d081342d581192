import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';
import type { Family, Input, Reply, Row } from './families.ts';

/**
 * Query of one row, for `useQuery` and `prefetchQuery`. Its key is `[family, row, input]`: invalidate `[family]` for all rows of a
 * family, `[family, row]` for one.
 */
export function read<F extends Family, R extends Row<F>>(family: F, row: R, input: Input<F, R>) {
  return queryOptions({
    queryKey: [family, row, input] as const,
    queryFn: ({ signal }) => call(family, row, input, signal),
  });
}

type Paged = { readonly nextCursor: string | null };

/** Query of a list row, page by page. The pages of the previous input stay visible while those of another one load. */
export function pages<F extends Family, R extends Row<F>>(family: F, row: R, input: Input<F, R>) {
  type Page = Reply<F, R> & Paged;
  return infiniteQueryOptions({
    queryKey: [family, row, 'pages', input] as const,
    queryFn: async ({ pageParam, signal }) => {
      const asked = input as { readonly query?: object };
      const query = pageParam === null ? asked.query : { ...asked.query, cursor: pageParam };
      return (await call(family, row, { ...asked, query } as Input<F, R>, signal)) as Page;
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last: Page) => last.nextCursor,
    placeholderData: keepPreviousData,
  });
}
