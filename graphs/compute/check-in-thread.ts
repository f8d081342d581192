import { AppError } from '#src/domain/app-error.ts';
import { checkGraph, type GraphCheck } from '#graphs/check.ts';
import { installationFacts, type Installation } from '#graphs/check/installation/installation.ts';
import type { InstallationFacts } from '#graphs/check/installation/facts.ts';
import type { CheckContext, ToolNames } from '#graphs/check/outline.ts';
import type { SecretBinding } from '#src/domain/access/secret-hosts.ts';
import type { Catalog } from '#graphs/catalog.ts';
import { ComputeEndedError, ComputeLateError, type ComputeThreads } from '#graphs/compute/threads.ts';
import type { RecordTypeVersion } from '#src/domain/records/record-type.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';

/** Facts for a check as plain data. */
export interface CheckFacts {
  readonly secrets: readonly SecretBinding[];
  /** Graphs of subgraph nodes by `<workflow id> <version or undefined>`. */
  readonly subgraphs: ReadonlyMap<string, StoredGraph>;
  readonly workflowId?: string;
  readonly installation?: InstallationFacts;
  /** Fields of record types of the project by name. */
  readonly recordTypes?: ReadonlyMap<string, RecordTypeVersion['fields']>;
  readonly tools?: ToolNames;
}

export interface SentCheck {
  readonly raw: unknown;
  readonly facts: CheckFacts;
  /** Folder of the operator's own code; null: there is none. */
  readonly folder: string | null;
}

/** JSON characters of a graph that is checked on the event loop, in a few milliseconds. */
const small = 3_000;
/** Wall time of a check. The largest graph takes about a tenth. */
const checkMs = 15_000;

export function contextOf({
  secrets,
  subgraphs,
  workflowId,
  installation,
  recordTypes,
  tools,
}: CheckFacts): CheckContext {
  return {
    secrets,
    subgraphs: (id, version) => subgraphs.get(`${id} ${version}`) ?? null,
    ...(workflowId !== undefined && { workflowId }),
    ...(installation !== undefined && { installation }),
    ...(tools !== undefined && { tools }),
    ...(recordTypes !== undefined && { recordTypes: (name) => recordTypes.get(name) ?? null }),
  };
}

/** Checks small graphs here, and larger ones in a thread. Throws `workflow.invalid` for a graph that takes too long. */
export type CheckGraph = (raw: unknown, facts: CheckFacts) => Promise<GraphCheck>;

/**
 * `by` is null for a catalog that threads cannot load: they know that of the product and of the operator's folder. Without `installation`,
 * rules about it are skipped.
 */
export function createCheckGraph(
  catalog: Catalog,
  by: { readonly threads: ComputeThreads; readonly folder: string | null } | null,
  installation?: Installation,
): CheckGraph {
  return async (raw, given) => {
    const facts = installation === undefined ? given : { ...given, installation: installationFacts(installation, raw) };
    if (by === null || JSON.stringify(raw).length <= small) return checkGraph(raw, catalog, contextOf(facts));
    try {
      const { threads, folder } = by;
      return (await threads.call('check', { raw, facts, folder } satisfies SentCheck, { ms: checkMs })) as GraphCheck;
    } catch (error) {
      if (!(error instanceof ComputeLateError || error instanceof ComputeEndedError)) throw error;
      const detail = `The graph takes longer than ${checkMs / 1_000} s to check. Use fewer and shorter expressions, or split it into several workflows.`;
      throw new AppError('workflow.invalid', detail, { cause: error });
    }
  };
}
