import { pages } from '../../api/read.ts';
import { askedFilters, askedOrder } from './list/asked.ts';
import type { FilterName, Order } from './list/filter-names.ts';

type Search = { readonly [Name in FilterName | 'query']?: string } & { readonly sort?: Order };

/** Documents of a page. */
const listPageLimit = 60;
/** The same for results of a search. */
const searchPageLimit = 50;

/** The list for an address. */
export const documentsQuery = (search: Search) =>
  pages('documents', 'list', {
    query: {
      query: search.query,
      ...askedFilters(search),
      ...(search.query === undefined ? askedOrder(search.sort) : {}),
      limit: search.query === undefined ? listPageLimit : searchPageLimit,
      total: true,
    },
  });
