import type { BaseCheckpointSaver } from '@langchain/langgraph';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';

/** LangGraph's saver, which may collect its writes: `flush` ends when the thread's writes are stored, or throws why they are not. */
export type RunCheckpointer = BaseCheckpointSaver & {
  flush?(threadId: string): Promise<void>;
  /** `hook` is awaited before anything of the run is stored: what a checkpoint says has happened is known by then. */
  before?(runId: string, hook: () => Promise<void>): Disposable;
};

/** Options of one run; a subset of LangGraph's. */
export interface InvokeOptions {
  readonly configurable: { readonly thread_id: string; readonly freshThread?: boolean };
  /** The node runner's `RunContext`. */
  readonly context: object;
  readonly recursionLimit: number;
  readonly durability: 'async' | 'sync' | 'exit';
  readonly outputKeys: string[];
}

/** A graph ready for any number of runs, at once or in turn: it holds nothing of any of them. */
export interface CompiledWorkflow {
  readonly graph: StoredGraph;
  readonly graphHash: string;
  readonly checkpointer: RunCheckpointer;
  /** LangGraph's own object, for its tooling. */
  readonly langGraph: unknown;
  /** Channel values by name at the end of the run. `input` null goes on from the thread's last checkpoint. */
  invoke(input: Record<string, unknown> | null, options: InvokeOptions): Promise<Record<string, unknown> | undefined>;
}
