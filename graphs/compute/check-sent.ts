import { checkGraph, type GraphCheck } from '#graphs/check.ts';
import { loadCode } from '#graphs/code/load-code.ts';
import { contextOf, type SentCheck } from '#graphs/compute/check-in-thread.ts';

/** Checks a graph that was sent to this thread. */
export async function checkSent({ raw, facts, folder }: SentCheck): Promise<GraphCheck> {
  const { catalog } = await loadCode(folder);
  return checkGraph(raw, catalog, contextOf(facts));
}
