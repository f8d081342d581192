import { LRUCache } from 'lru-cache';
import type { CompiledWorkflow } from '#graphs/run/compiled-workflow.ts';

export interface CompiledCache {
  /**
   * The compiled graph of this hash. Runs `compile` if it is not cached, once for concurrent callers. Failed compilations are not cached.
   */
  get(graphHash: string, compile: () => Promise<CompiledWorkflow>): Promise<CompiledWorkflow>;
}

/** Least recently used cache of compiled graphs. These have no state of a run, so runs can share them. */
export function createCompiledCache(limit = 100): CompiledCache {
  const kept = new LRUCache<string, Promise<CompiledWorkflow>>({ max: limit });
  return {
    get(graphHash, compile) {
      const found = kept.get(graphHash);
      if (found !== undefined) return found;
      const compiled = compile();
      kept.set(graphHash, compiled);
      compiled.catch(() => {
        // The caller gets the rejection; the cache only drops the entry.
        if (kept.peek(graphHash) === compiled) kept.delete(graphHash);
      });
      return compiled;
    },
  };
}
