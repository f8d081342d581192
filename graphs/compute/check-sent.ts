import { checkGraph, type GraphCheck } from '#graphs/check.ts';
import { catalog } from '#graphs/catalog.ts';
import { contextOf, type SentCheck } from '#graphs/compute/check-in-thread.ts';

/** Checks a graph that was sent to this thread. */
export function checkSent({ raw, facts }: SentCheck): GraphCheck {
  return checkGraph(raw, catalog, contextOf(facts));
}
