import { Computing } from '#graphs/compute/computing.ts';
import type { NodeCall, NodeDefinition, NodeResult } from '#graphs/define.ts';
import { expectDeclared } from '#test/graphs/support/declared.ts';
import type { NodeDeps } from '#graphs/node-deps.ts';

export interface CallOptions {
  readonly config?: Record<string, unknown>;
  readonly state?: Record<string, unknown>;
  readonly deps?: Partial<NodeDeps>;
  readonly answer?: unknown;
  readonly secrets?: NodeCall<unknown>['secrets'];
  readonly path?: string;
  readonly signal?: AbortSignal;
  readonly computing?: Computing;
}

/** One attempt of a node with this config, as the runner makes it after filling in `$expr` and `$secret`. */
export async function callNode(definition: NodeDefinition, options: CallOptions = {}): Promise<NodeResult> {
  const { config = {}, state = {}, deps = {}, path = 'node_a' } = options;
  const call: Omit<NodeCall<Record<string, unknown>>, 'runWorkflow' | 'openThread'> = {
    deps: deps as NodeDeps,
    run: {
      runId: 'run_a',
      executionId: 'exec_a',
      organizationId: 'org_a',
      projectId: 'prj_a',
      documentId: 'doc_a',
    },
    path,
    nodeId: path,
    state,
    params: definition.params.parse(config),
    secrets: options.secrets ?? [],
    signal: options.signal ?? new AbortController().signal,
    computing: (options.computing ?? new Computing()).forRun('org_a').forVisit(path),
    ...('answer' in options && { answer: options.answer }),
  };
  const result = await definition.run(call as NodeCall<Record<string, unknown>>);
  // Secrets are known to the call only, not to a config whose references are filled in.
  if (call.secrets.length === 0) expectDeclared(definition, config, result.update);
  return result;
}
