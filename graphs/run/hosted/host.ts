import { LRUCache } from 'lru-cache';
import { AppError } from '#src/domain/app-error.ts';
import { answerProblem } from '#src/domain/runs/answer.ts';
import { Computing } from '#graphs/compute/computing.ts';
import { deadline } from '#graphs/engine/deadline.ts';
import { Semaphore } from '#graphs/engine/semaphore.ts';
import { documentChannel } from '#graphs/run/hosted/state.ts';
import { writtenRoutes } from '#graphs/run/hosted/written-routes.ts';
import { runInside, timedOut, type AskedQuestion } from '#graphs/run/execute.ts';
import type { ChannelValues } from '#graphs/define.ts';
import type { RunContext, RunParts } from '#graphs/run/run-context.ts';
import type { NodeOutcome, NodeRuntime } from '#graphs/run/run-node.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';

/** One visit to a node. */
interface HostedVisit {
  readonly state: ChannelValues;
  readonly runtime: NodeRuntime;
  readonly run: (state: ChannelValues, runtime: NodeRuntime) => Promise<NodeOutcome>;
  /** Interrupts the run with the question. Returns the answer once the run is resumed with one. */
  readonly ask: (question: object) => unknown;
}

/** Gives nodes what a run of the service has, where LangGraph's own tools run the graph. */
export interface RunHost {
  visit(visit: HostedVisit): Promise<NodeOutcome>;
}

/** A run by LangGraph's ids. */
export interface HostedRun {
  readonly threadId: string;
  readonly runId: string;
  readonly documentId: string;
}

export type HostedParts = Omit<RunParts, 'steps' | 'answers'>;

/** Parts of a run. Throws `document.not_found` for a document that the caller cannot see. */
export type BeginRun = (run: HostedRun) => Promise<HostedParts>;

/** The parts that all visits of one run share. */
interface Shared {
  readonly parts: Promise<HostedParts>;
  readonly semaphore: Semaphore;
  readonly mapSemaphores: RunContext['mapSemaphores'];
  readonly endsAt: number;
  readonly earlierSteps: number;
}

/** Runs whose limits are kept: LangGraph reports no end of a run. */
const keptRuns = 1_000;

const silent = { started: () => undefined, finished: () => undefined };

/**
 * Hosts runs of one graph. The input has `documentId`. Questions become LangGraph's interrupts, with the question as value, and a resume
 * gives the answer. Source: docs/decisions/0197.
 */
export function hostRuns(graph: StoredGraph, begin: BeginRun): RunHost {
  const runs = new LRUCache<string, Shared>({ max: keptRuns });
  const routed = writtenRoutes(graph);
  const sharedOf = (run: HostedRun, superstep: number): Shared => {
    const key = `${run.threadId}\n${run.runId}`;
    const known = runs.get(key);
    if (known !== undefined) return known;
    const shared: Shared = {
      parts: begin(run),
      semaphore: new Semaphore(graph.limits.maxConcurrency),
      mapSemaphores: new Map(),
      endsAt: Date.now() + graph.limits.timeoutMs,
      earlierSteps: superstep - 1,
    };
    runs.set(key, shared);
    // The visit gets the error. The next attempt at the run begins anew.
    shared.parts.catch(() => runs.delete(key));
    return shared;
  };
  return {
    async visit({ state, runtime, run, ask }) {
      const hosted = runOf(state, runtime);
      const shared = sharedOf(hosted, Number(runtime.metadata?.['langgraph_step']));
      const parts = await shared.parts;
      const ms = Math.max(0, shared.endsAt - Date.now());
      using limit = deadline([runtime.signal], { ms, reason: () => timedOut(graph) });
      const answers = new Map<string, unknown>();
      const shown = routed(String(runtime.metadata?.['langgraph_node']), state);
      for (;;) {
        const asked: AskedQuestion[] = [];
        const context = contextOf({ parts, shared, answers, asked }, limit.signal);
        const outcome = await run(shown, { ...runtime, context });
        if (!outcome.waits) return withDocument(outcome, hosted);
        // LangGraph gives answers by the order of the questions.
        for (const question of asked.toSorted((a, b) => (a.path < b.path ? -1 : 1)))
          answers.set(question.path, answerTo(question, ask));
      }
    },
  };
}

function runOf(state: ChannelValues, { configurable = {}, metadata = {} }: NodeRuntime): HostedRun {
  const documentId = state[documentChannel];
  if (typeof documentId !== 'string' || documentId === '') {
    const message = 'Give the id of an uploaded document: {"documentId": "doc_..."}.';
    const errors = [{ pointer: `/${documentChannel}`, code: 'required', message }];
    throw new AppError('request.invalid', `The input has no documentId. ${message}`, { errors });
  }
  const idOf = (name: string): string => {
    const id = configurable[name] ?? metadata[name];
    if (typeof id === 'string' && id !== '') return id;
    const detail = `The run has no ${name}. Run the graph with LangGraph's server, or set configurable.thread_id and configurable.run_id.`;
    throw new AppError('request.invalid', detail);
  };
  return { threadId: idOf('thread_id'), runId: idOf('run_id'), documentId };
}

/** Gives the document to targets of maps, which have a state of their own. */
function withDocument(outcome: NodeOutcome, { documentId }: HostedRun): NodeOutcome {
  const sends = outcome.sends.map(({ to, input }) => ({ to, input: { ...input, [documentChannel]: documentId } }));
  return { ...outcome, sends };
}

/** Asks again until the answer fits. LangGraph keeps each answer, so that an error would repeat at every resume. */
function answerTo(question: AskedQuestion, ask: HostedVisit['ask']): unknown {
  let shown: object = question;
  for (;;) {
    const answer = ask(shown);
    const problem = answerProblem(question, answer);
    if (problem === null) return answer;
    shown = { ...question, problem };
  }
}

interface Known {
  readonly parts: HostedParts;
  readonly shared: Shared;
  readonly answers: ReadonlyMap<string, unknown>;
  readonly asked: AskedQuestion[];
}

function contextOf({ parts, shared, answers, asked }: Known, signal: AbortSignal): RunContext {
  const { semaphore, mapSemaphores, earlierSteps } = shared;
  const { computing = new Computing().forRun(parts.run.organizationId) } = parts;
  const run = { ...parts, computing, answers, steps: silent };
  const frame = { threadId: parts.run.runId, prefix: '', depth: 0, questions: asked };
  return {
    ...run,
    signal,
    prefix: '',
    semaphore,
    mapSemaphores,
    earlierSteps,
    ask: (path, question) => void asked.push({ ...question, path }),
    // The checkpoints of LangGraph hold the outer graph only: the inner one runs from its start, with the answers so far.
    runInside: (path, superstep, nested) =>
      runInside({ request: { context: run, signal, resume: false }, frame, signal }, `${path}@${superstep}`, nested),
    openThread(path) {
      const detail = `The node "${path}" is a graph of LangGraph itself, which does not run inside LangGraph's tools. Open that graph there.`;
      throw new AppError('workflow.invalid', detail);
    },
  };
}
