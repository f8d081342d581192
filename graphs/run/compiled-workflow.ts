import type { BaseCheckpointSaver } from '@langchain/langgraph';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';

/** LangGraph's checkpoint saver, which can buffer writes. `flush` resolves when the writes of the thread are stored, or throws their error. */
export type RunCheckpointer = BaseCheckpointSaver & {
  flush?(threadId: string): Promise<void>;
  /** Awaits `hook` before each write of the run, so that a checkpoint never precedes the records of its steps. */
  before?(runId: string, hook: () => Promise<void>): Disposable;
  /** Stores nothing more of a run that has ended, until its thread is deleted. */
  end?(runId: string): void;
};

/** Options of one run, a subset of LangGraph's. */
export interface InvokeOptions {
  readonly configurable: { readonly thread_id: string; readonly freshThread?: boolean };
  /** `RunContext` of the node runner. */
  readonly context: object;
  readonly recursionLimit: number;
  readonly durability: 'async' | 'sync' | 'exit';
  readonly outputKeys: string[];
}

/** A compiled graph without state, for any number of sequential or concurrent runs. */
export interface CompiledWorkflow {
  readonly graph: StoredGraph;
  readonly graphHash: string;
  readonly checkpointer: RunCheckpointer;
  /** LangGraph's compiled graph, for its tooling. */
  readonly langGraph: unknown;
  /** Channel values at the end of the run. `input` null continues from the thread's last checkpoint. */
  invoke(input: Record<string, unknown> | null, options: InvokeOptions): Promise<Record<string, unknown> | undefined>;
}
