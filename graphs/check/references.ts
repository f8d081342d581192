import { errorAt, fixedBy, pointer, setField, type GraphIssue } from '#graphs/check/issue.ts';
import { nearest, suggest } from '#graphs/check/nearest.ts';
import { fields, members, type Sketch } from '#graphs/check/sketch.ts';
import { configRefs } from '#graphs/expression/config.ts';

/** What a graph names outside itself. */
export interface References {
  readonly secrets: readonly string[];
  /** Version null: the newest. */
  readonly workflows: readonly { readonly workflowId: string; readonly version: number | null }[];
}

/** Of anything: what is no graph has none. Each once. */
export function referencesOf(raw: unknown): References {
  const nodes = members(fields(raw)['nodes']).map(([, node]) => fields(node));
  const secrets = nodes.flatMap(({ config }) => configRefs(config).secrets.map(({ name }) => name));
  const workflows = nodes.flatMap(({ type, config }) => workflowOf(type, fields(config)) ?? []);
  const each = new Map(workflows.map((one) => [`${one.workflowId} ${one.version}`, one]));
  return { secrets: [...new Set(secrets)], workflows: [...each.values()] };
}

type WorkflowRef = References['workflows'][number];

function workflowOf(
  type: unknown,
  { workflowId, version }: Readonly<Record<string, unknown>>,
): WorkflowRef | undefined {
  if (type !== 'workflow' || typeof workflowId !== 'string') return undefined;
  return { workflowId, version: typeof version === 'number' ? version : null };
}

/** SECRET_UNKNOWN, SUBGRAPH_UNKNOWN, and SUBGRAPH_CYCLE: a workflow that leads back to this one. */
export function checkReferences(graph: Sketch): GraphIssue[] {
  return [...secretIssues(graph), ...workflowIssues(graph)];
}

function secretIssues({ nodes, context: { secretNames } }: Sketch): GraphIssue[] {
  if (!secretNames) return [];
  const known = [...secretNames];
  return [...nodes.values()].flatMap((node) =>
    configRefs(node.config)
      .secrets.filter(({ name }) => !secretNames.has(name))
      .map(({ name, path }) => {
        const at = pointer('nodes', node.id, 'config', ...path, '$secret');
        const message = `The project has no secret "${name.slice(0, 80)}".`;
        const issue = { ...errorAt('SECRET_UNKNOWN', at, message, suggest(name, known, 'secrets')), nodeId: node.id };
        const [near] = nearest(name, known);
        return fixedBy(issue, ...(near === undefined ? [] : [setField(at, near)]));
      }),
  );
}

function workflowIssues({ nodes, context }: Sketch): GraphIssue[] {
  const { subgraphs, workflowId: self } = context;
  return [...nodes.values()].flatMap((node) => {
    const ref = workflowOf(node.type, node.config);
    if (!ref) return [];
    const at = pointer('nodes', node.id, 'config', 'workflowId');
    const issue = (code: 'SUBGRAPH_CYCLE' | 'SUBGRAPH_UNKNOWN', message: string, hint: string): GraphIssue[] => [
      { ...errorAt(code, at, message, hint), nodeId: node.id },
    ];
    if (self !== undefined && leadsTo(self, ref, subgraphs)) {
      return issue(
        'SUBGRAPH_CYCLE',
        `The workflow "${ref.workflowId}" leads back to this one.`,
        'Name another workflow.',
      );
    }
    if (!subgraphs || subgraphs(ref.workflowId, ref.version)) return [];
    const version = ref.version === null ? '' : ` version ${ref.version}`;
    const message = `The project has no workflow "${ref.workflowId.slice(0, 80)}"${version}.`;
    return issue('SUBGRAPH_UNKNOWN', message, 'Name a published workflow of this project and one of its versions.');
  });
}

function leadsTo(self: string, start: WorkflowRef, load: Sketch['context']['subgraphs']): boolean {
  const open = new Map([[`${start.workflowId} ${start.version}`, start]]);
  for (const ref of open.values()) {
    if (ref.workflowId === self) return true;
    for (const next of referencesOf(load?.(ref.workflowId, ref.version)).workflows) {
      open.set(`${next.workflowId} ${next.version}`, next);
    }
  }
  return false;
}
