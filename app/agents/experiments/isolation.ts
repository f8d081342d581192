import { AppError } from '#src/domain/app-error.ts';
import type { CellPlace } from '#src/domain/experiments/experiment.ts';
import { derivedId } from '#src/domain/ids.ts';
import type { NodeDeps } from '#graphs/node-deps.ts';
import type { CachedOutcome, NodeCache } from '#src/stores/node-cache.ts';

/** Methods that leave the other side as it was. Source: RFC 9110, 9.2.1. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);

export const refusedByExperiment = (method: string): AppError =>
  new AppError(
    'experiment.effect_refused',
    `An experiment sends no ${method} requests, since it runs documents several times. Take the node out with operations.`,
  );

export const refusedByDraft = (method: string): AppError =>
  new AppError(
    'run.effect_refused',
    `A run of a draft sends no ${method} requests, and this one was not sent. Publish the workflow to send it.`,
  );

/**
 * Dependencies of nodes in runs of experiments and drafts: they read as usual, and store results for the run alone. A request that would
 * change something elsewhere throws the error of `refused`.
 */
export function isolatedDeps(deps: NodeDeps, refused: (method: string) => AppError): NodeDeps {
  const { search, outbound } = deps;
  return {
    ...deps,
    search: { ...search, upsert: async () => undefined },
    storeDerived: async ({ runId }, path) => derivedId('document', runId, path),
    deliver: async () => undefined,
    announce: async () => undefined,
    outbound: {
      ...outbound,
      async send(request) {
        if (safeMethods.has(request.method)) return outbound.send(request);
        throw refused(request.method);
      },
    },
  };
}

/** Outcomes of models differ from trial to trial; all others are those of the first one. */
const differs = ({ usage }: CachedOutcome): boolean => usage !== null && usage.provider !== 'local';

/**
 * Cache of nodes in an experiment. A run of a draft counts as the first trial. It takes outcomes of ordinary runs, and keeps its own apart: they name results that no document shows.
 * Those of the holdout are apart again, since they name runs that are shown to nobody. Each trial asks models anew.
 */
export function isolatedCache(
  cache: NodeCache,
  { trial, hidden }: Pick<CellPlace, 'trial' | 'hidden'>,
): Pick<NodeCache, 'get' | 'put'> {
  const space = hidden ? 'h' : 'x';
  const first = (key: string): string => `${space}:${key}`;
  const own = (key: string): string => (trial === 1 ? first(key) : `${space}${trial}:${key}`);
  return {
    async get(organizationId, projectId, key) {
      const keys = trial === 1 ? [first(key), key] : [own(key), first(key), key];
      for (const [at, one] of keys.entries()) {
        const found = await cache.get(organizationId, projectId, one);
        if (found !== null && (trial === 1 || at === 0 || !differs(found))) return found;
      }
      return null;
    },
    put: (of, key, outcome) => cache.put(of, own(key), outcome),
  };
}
