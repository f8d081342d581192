import { LRUCache } from 'lru-cache';
import type { CompiledWorkflow } from '#graphs/run/compiled-workflow.ts';

export interface CompiledCache {
  /**
   * The compiled graph of this hash. `compile` runs when it is not at hand, once however many ask at the same time; a failed
   * compilation is not kept.
   */
  get(graphHash: string, compile: () => Promise<CompiledWorkflow>): Promise<CompiledWorkflow>;
}

/** Keeps the `limit` graphs used last. Compiled graphs hold nothing of a run, so runs share them freely. */
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
