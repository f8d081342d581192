import type { CompiledWorkflow } from '#graphs/run/compiled-workflow.ts';

export interface CompiledCache {
  /**
   * The compiled graph of this hash. Runs `compile` if it is not cached, once for concurrent callers. Failed compilations are not cached.
   */
  get(graphHash: string, compile: () => Promise<CompiledWorkflow>): Promise<CompiledWorkflow>;
}

/** Least recently used cache of compiled graphs. These have no state of a run, so runs can share them. */
export function createCompiledCache(limit = 100): CompiledCache {
  const kept = new Map<string, Promise<CompiledWorkflow>>();
  return {
    get(graphHash, compile) {
      const found = kept.get(graphHash);
      const compiled = found ?? compile();
      // A Map iterates in order of insertion: putting an entry again makes it the last used.
      kept.delete(graphHash);
      kept.set(graphHash, compiled);
      if (!found) {
        compiled.catch(() => {
          // The caller gets the rejection; here it only means that there is nothing to keep.
          if (kept.get(graphHash) === compiled) kept.delete(graphHash);
        });
        const oldest = kept.keys().next();
        if (kept.size > limit && !oldest.done) kept.delete(oldest.value);
      }
      return compiled;
    },
  };
}
