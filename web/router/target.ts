import type { Raw } from '../state/search.ts';
import { match, searchOf, type AnySearch, type Path, type SearchOf } from './addresses.ts';
import { formatQuery } from './query.ts';

type Params<P> = P extends `${string}$id`
  ? { readonly params: { readonly id: string } }
  : { readonly params?: undefined };
export type Search<Old, New> = { readonly search?: New | ((old: Old) => New) };

/** A page with its parameters, or `.`, the present one. */
export type Target<P extends Path | '.'> = { readonly to: P } & Params<P> &
  Search<AnySearch, P extends Path ? SearchOf<P> : AnySearch>;

interface AnyTarget {
  readonly to: string;
  readonly params?: { readonly id: string } | undefined;
  readonly search?: object | ((old: never) => object) | undefined;
}

/** The address of a target, seen from a place. It keeps the chosen project, except where `search` names another, or undefined. */
export function addressOf(
  { to, params, search = {} }: AnyTarget,
  from: { readonly path: string; readonly raw: Raw },
): string {
  const old = searchOf(match(from.path)?.page, from.raw);
  const wanted = typeof search === 'function' ? (search as (all: AnySearch) => object)(old) : search;
  const path = to === '.' ? from.path : to.replace('$id', encodeURIComponent(params?.id ?? ''));
  return path + formatQuery({ project: old.project, ...wanted });
}
