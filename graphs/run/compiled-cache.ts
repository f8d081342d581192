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
