import { AppError } from '#src/domain/app-error.ts';
import { Computing } from '#graphs/compute/computing.ts';
import { Semaphore } from '#graphs/engine/semaphore.ts';
import type { ChannelValues, Question } from '#graphs/define.ts';
import type { NodeDeps, RunFacts } from '#graphs/node-deps.ts';
import type { RunContext } from '#graphs/run/run-context.ts';
import type { NodeOutcome, NodeRuntime } from '#graphs/run/run-node.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';

/** One visit to a node by a program that knows LangGraph and not Inkgraph. */
interface HostedVisit {
  readonly state: ChannelValues;
  readonly runtime: NodeRuntime;
  run(state: ChannelValues, runtime: NodeRuntime): Promise<NodeOutcome>;
  /** Interrupts the run with the question; returns the answer when the run is resumed with one. */
  ask(question: object): unknown;
}

/** Gives nodes what a run of the service has, when LangGraph's own tools run the graph. */
export interface RunHost {
  visit(visit: HostedVisit): Promise<NodeOutcome>;
}

/** Channel of the input that names the document of a run. */
export const documentChannel = 'documentId';

interface Hosting {
  readonly deps: NodeDeps;
  /** Ids of the run. Throws `document.not_found` for a document that the program may not see. */
  factsOf(threadId: string, documentId: string): Promise<RunFacts>;
}

/**
 * Hosts runs of one graph. The input has `documentId`, an id like `doc_...`; questions become LangGraph's interrupts, with the question as
 * value, and are answered by a resume with the answer. Throws `request.invalid` without a document. Source: docs/decisions/0188.
 */
export function hostRuns(graph: StoredGraph, open: () => Promise<Hosting>): RunHost {
  const defaults = Object.fromEntries(
    Object.entries(graph.state).flatMap(([name, { default: first }]) => (first === undefined ? [] : [[name, first]])),
  );
  return {
    async visit({ state, runtime, run, ask }) {
      const documentId = state[documentChannel];
      if (typeof documentId !== 'string' || documentId === '') {
        throw new AppError('request.invalid', 'The input has no documentId. Give the id of an uploaded document.', {
          errors: [{ pointer: '/documentId', code: 'required', message: 'Give the id of an uploaded document.' }],
        });
      }
      const { deps, factsOf } = await open();
      const facts = await factsOf(threadOf(runtime), documentId);
      const asked: (Question & { path: string })[] = [];
      const answers = new Map<string, unknown>();
      const context = contextOf({ graph, deps, facts, answers }, runtime, (path, question) =>
        void asked.push({ ...question, path }),
      );
      // An item of a map is a state of its own; defaults of the channels are part of the input of a run of the service.
      const shown = { ...defaults, ...state };
      const outcome = await run(shown, { ...runtime, context });
      const [question] = asked;
      if (!outcome.waits || question === undefined) return outcome;
      answers.set(question.path, ask(question));
      return run(shown, { ...runtime, context });
    },
  };
}

function threadOf({ metadata = {} }: NodeRuntime): string {
  const thread = metadata['thread_id'] ?? metadata['run_id'];
  return typeof thread === 'string' ? thread : 'no-thread';
}

interface Known {
  readonly graph: StoredGraph;
  readonly deps: NodeDeps;
  readonly facts: RunFacts;
  readonly answers: ReadonlyMap<string, unknown>;
}

function contextOf({ graph, deps, facts, answers }: Known, runtime: NodeRuntime, ask: RunContext['ask']): RunContext {
  return {
    deps,
    run: facts,
    answers,
    ask,
    steps: { started: () => undefined, finished: () => undefined },
    computing: new Computing().forRun(facts.organizationId),
    signal: runtime.signal ?? new AbortController().signal,
    prefix: '',
    semaphore: new Semaphore(graph.limits.maxConcurrency),
    mapSemaphores: new Map(),
    runInside: () => {
      const detail = 'LangGraph’s tools cannot run a workflow inside another. Run the workflow in Inkgraph.';
      throw new AppError('workflow.invalid', detail);
    },
  };
}
