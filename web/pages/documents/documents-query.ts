import { pages } from '../../api/read.ts';
import { askedFilters, askedOrder } from './list/asked.ts';
import type { FilterName, Order } from './list/filter-names.ts';

type Search = { readonly [Name in FilterName | 'query']?: string } & { readonly sort?: Order };

/** Documents of a page: of the list, and of results of a search. */
const pageLimits = { list: 60, search: 50 } as const;

/** The list for an address. */
export const documentsQuery = (search: Search) =>
  pages('documents', 'list', {
    query: {
      query: search.query,
      ...askedFilters(search),
      ...(search.query === undefined ? askedOrder(search.sort) : {}),
      limit: search.query === undefined ? pageLimits.list : pageLimits.search,
      total: true,
    },
  });
