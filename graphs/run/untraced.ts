/** A step of LangGraph's: a node's function, or a write to channels. */
interface Step {
  readonly func?: (input: unknown, config: unknown) => unknown;
  /** Channels that it writes; absent in other steps. */
  readonly writes?: readonly { readonly mapper?: Step }[];
  invoke(input: unknown, config: unknown): Promise<unknown>;
}

interface Sequence extends Step {
  readonly steps?: readonly Step[];
}

/** Members of LangGraph's compiled graph that its types leave out (1.7.3). */
export interface CompiledNodes {
  readonly nodes: Readonly<Record<string, { getNode(): Sequence | undefined }>>;
}

const isCommand = (value: unknown): boolean =>
  Array.isArray(value) || (typeof value === 'object' && value !== null && 'lg_name' in value);

/** Calls the function of the step, without a config of its own and without the run tree of a tracer. */
function callDirectly(step: Step): void {
  const { func } = step;
  if (func === undefined) return;
  step.invoke = async (input, config) => func(input, config);
  for (const { mapper } of step.writes ?? []) if (mapper !== undefined) callDirectly(mapper);
}

/**
 * Makes the nodes of a compiled graph call their functions directly. LangGraph builds the steps of a node anew for each visit, and gives each of
 * its four or more steps a merged config and a run tree, which nobody reads where nothing is traced: a fifth of the time of a run. Nodes then have
 * no ambient config: what needs one is to be given it. Source: docs/decisions/0112.
 */
export function withoutTracing({ nodes }: CompiledNodes): void {
  for (const node of Object.values(nodes)) {
    const sequence = node.getNode();
    if (sequence === undefined) continue;
    const { steps = [] } = sequence;
    for (const step of steps.length === 0 ? [sequence] : steps) callDirectly(step);
    if (steps.length > 0) sequence.invoke = (input, config) => inOrder(steps, input, config);
    node.getNode = () => sequence;
  }
}

/** The node, then the writes of its outcome. Steps that write no channels follow commands, and an update is none. */
async function inOrder([node, ...after]: readonly Step[], input: unknown, config: unknown): Promise<unknown> {
  const outcome = await node?.invoke(input, config);
  for (const step of after) if (step.writes !== undefined || isCommand(outcome)) await step.invoke(outcome, config);
  return outcome;
}
