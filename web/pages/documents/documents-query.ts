import { pages } from '../../api/read.ts';
import { askedFilters, askedOrder } from './list/asked.ts';
import type { FilterName, Order } from './list/filter-names.ts';

type Search = { readonly [Name in FilterName | 'query']?: string } & { readonly sort?: Order };

/** The list for an address. */
export const documentsQuery = (search: Search) =>
  pages('documents', 'list', {
    query: {
      query: search.query,
      ...askedFilters(search),
      ...(search.query === undefined ? askedOrder(search.sort) : {}),
      limit: search.query === undefined ? 60 : 50,
      total: true,
    },
  });
