import { AppError } from '#src/domain/app-error.ts';
import { graphLimits } from '#src/contracts/resources/graph.ts';
import { Semaphore } from '#graphs/engine/semaphore.ts';
import { folds } from '#graphs/engine/reducers.ts';
import { flowChannel, itemMember, itemOf, takes, type MapItem } from '#graphs/engine/flow-state.ts';
import { NodeVisit, type VisitOutcome } from '#graphs/run/node-visit.ts';
import type { ChannelValues } from '#graphs/define.ts';
import type { NodeComputing } from '#graphs/compute/computing.ts';
import type { NodePlan } from '#graphs/run/plan-node.ts';
import type { RunContext } from '#graphs/run/run-context.ts';

/** The used part of LangGraph's node config. `signal` aborts if another branch of the same superstep fails. */
export interface NodeRuntime {
  readonly context?: unknown;
  readonly metadata?: Record<string, unknown>;
  /** Ids of the thread and, where LangGraph's server runs the graph, of the run. */
  readonly configurable?: Record<string, unknown>;
  readonly signal?: AbortSignal;
}

/** Effects of a node: channel writes, map targets to run, and a stop if it waits for an answer. */
export interface NodeOutcome {
  readonly update: ChannelValues;
  readonly sends: readonly { readonly to: string; readonly input: ChannelValues }[];
  readonly waits: boolean;
}

/**
 * Creates the function that LangGraph calls for a node. It runs or skips the node, retries it as `retry` allows, reports every attempt to
 * the step sink, and chooses the next nodes. Throws `AppError` only.
 */
export function nodeRunner(plan: NodePlan): (state: ChannelValues, runtime: NodeRuntime) => Promise<NodeOutcome> {
  return async (state, runtime) => {
    const context = runtime.context as RunContext;
    const superstep = Number(runtime.metadata?.['langgraph_step']);
    if (superstep - (context.earlierSteps ?? 0) > plan.maxSteps) {
      throw new AppError(
        'run.step_limit',
        `The run exceeded the ${plan.maxSteps} steps that its workflow allows (limits.maxSteps).`,
      );
    }
    const item = itemOf(state);
    if (isPassedThrough(plan, state, item)) return passedThrough(plan);
    if (item?.index === null) return outcomeOf(plan, {}, plan.always);
    const shown = shownOf(plan.shown, state, item);
    if (item !== undefined) ensureGate(context, plan.nodeId, item);
    const computing = context.computing.forVisit(plan.nodeId, context.signal);
    const visit = new NodeVisit(plan, context, { state: shown, item, superstep, branch: runtime.signal, computing });
    return leave(plan, { state, computing }, await visit.run());
  };
}

function isPassedThrough({ parents, nodeId }: NodePlan, state: ChannelValues, item: MapItem | undefined): boolean {
  if (item !== undefined) return item.dead;
  return parents !== null && !parents.some((parent) => takes(state, parent, nodeId));
}

/** Outcome of a skipped node: its successors are notified, so that no join waits for it. */
function passedThrough(plan: NodePlan): NodeOutcome {
  return { ...outcomeOf(plan, {}, []), sends: plan.maps.map((map) => sendOf(map, {}, { index: null, dead: true })) };
}

function ensureGate(context: RunContext, nodeId: string, { concurrency }: MapItem): void {
  if (!context.mapSemaphores.has(nodeId)) context.mapSemaphores.set(nodeId, new Semaphore(concurrency));
}

interface Leaving {
  readonly state: ChannelValues;
  readonly computing: NodeComputing;
}

async function leave(plan: NodePlan, { state, computing }: Leaving, visited: VisitOutcome): Promise<NodeOutcome> {
  if (visited.kind === 'waiting') return { update: {}, sends: [], waits: true };
  const { onError } = plan.node;
  if (visited.kind === 'failed' && typeof onError === 'object') {
    const dead = plan.maps.map((map) => sendOf(map, {}, { index: null, dead: true }));
    return { ...outcomeOf(plan, onError.set, [onError.goto]), sends: dead };
  }
  const update = visited.kind === 'failed' ? {} : visited.update;
  const after = (names: readonly string[]): ChannelValues => stateAfter(plan, { state, update, names });
  const chosen: string[] = [];
  for (const router of plan.routers) {
    const to = await targetOf(plan, router, { state: after(router.names), computing });
    if (to !== undefined) chosen.push(to);
  }
  const sends: NodeOutcome['sends'][number][] = [];
  for (const map of plan.maps) {
    const items = await itemsOf(plan, map.over, { state: after(map.names), computing });
    const shared = after(map.shown);
    if (items.length === 0) sends.push(sendOf(map, {}, { index: null, dead: false }));
    else sends.push(...items.map((value, index) => sendOf(map, shared, { index, dead: false, value })));
  }
  const mapped = plan.maps.map(({ spec }) => spec.to);
  return { ...outcomeOf(plan, update, [...plan.always, ...chosen, ...mapped]), sends };
}

function outcomeOf(plan: NodePlan, update: ChannelValues, taken: readonly string[]): NodeOutcome {
  const flow = plan.dynamic ? { [flowChannel]: { [plan.nodeId]: [...new Set(taken)] } } : {};
  return { update: { ...update, ...flow }, sends: [], waits: false };
}

function sendOf(
  { spec }: NodePlan['maps'][number],
  shared: ChannelValues,
  item: { index: number | null; dead: boolean; value?: unknown },
): NodeOutcome['sends'][number] {
  const { as, concurrency, onItemError } = spec;
  const sent: MapItem = { value: null, ...item, as, concurrency, skipErrors: onItemError === 'skip' };
  return { to: spec.to, input: { ...shared, [itemMember]: sent } };
}

function shownOf(names: readonly string[], state: ChannelValues, item: MapItem | undefined): ChannelValues {
  const present = names.filter((name) => state[name] !== undefined);
  const shown = Object.fromEntries(present.map((name) => [name, state[name]]));
  return item === undefined ? shown : { ...shown, [item.as]: item.value };
}

/** Channels with the node's own writes applied, without those of parallel nodes. */
function stateAfter(
  { reducers }: NodePlan,
  { state, update, names }: { state: ChannelValues; update: ChannelValues; names: readonly string[] },
): ChannelValues {
  const declared = names.filter((name) => Object.hasOwn(reducers, name));
  return Object.fromEntries(
    declared.map((name) => {
      const reducer = reducers[name]?.reducer ?? 'replace';
      if (update[name] === undefined) return [name, state[name]];
      if (reducer === 'replace' || state[name] === undefined) return [name, update[name]];
      return [name, folds[reducer](state[name], update[name])];
    }),
  );
}

/** Target of the first condition that is true; conditions after it are not evaluated. */
async function targetOf(
  plan: NodePlan,
  router: NodePlan['routers'][number],
  leaving: Leaving,
): Promise<string | undefined> {
  const conditions = router.routes.map(({ condition }) => condition);
  const values = await evaluate(plan, conditions, leaving);
  const last = values.at(-1);
  if (typeof last !== 'boolean' && last !== null && last !== undefined) {
    throw new AppError(
      'expression.failed',
      `The condition "${conditions[values.length - 1] ?? ''}" after node "${plan.nodeId}" is not a boolean.`,
    );
  }
  return last === true ? router.routes[values.length - 1]?.to : router.otherwise;
}

async function itemsOf(plan: NodePlan, over: string, leaving: Leaving): Promise<readonly unknown[]> {
  const [first] = await evaluate(plan, [over], leaving);
  const value: unknown = first ?? [];
  if (!Array.isArray(value)) {
    throw new AppError(
      'expression.failed',
      `"${over}", which the map of node "${plan.nodeId}" runs over, is not a list.`,
    );
  }
  if (value.length <= graphLimits.mapItems) return value as readonly unknown[];
  const most = `a map can run over at most ${graphLimits.mapItems}`;
  throw new AppError('expression.failed', `"${over}" has ${value.length} items; ${most}.`);
}

async function evaluate(plan: NodePlan, sources: readonly string[], { state, computing }: Leaving): Promise<unknown[]> {
  try {
    return await computing.evaluate(sources, state, { untilTrue: true });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'expression.failed') throw error;
    throw new AppError(error.code, `After node "${plan.nodeId}": ${error.detail}`, { cause: error });
  }
}
