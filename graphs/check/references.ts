import { errorAt, fixedBy, pointer, setField, warning, type GraphIssue } from '#graphs/check/issue.ts';
import { nearest, suggest } from '#graphs/check/nearest.ts';
import { fields, members, type GraphOutline } from '#graphs/check/outline.ts';
import { destinationOf, unboundSecret } from '#src/domain/access/secret-hosts.ts';
import { configRefs } from '#graphs/expression/config.ts';

/** Secrets, workflows and record types that a graph refers to. */
export interface References {
  readonly secrets: readonly string[];
  /** `version` null: the newest. */
  readonly workflows: readonly { readonly workflowId: string; readonly version: number | null }[];
  readonly recordTypes: readonly string[];
}

/** References of any JSON value, without duplicates; a value that is not a graph has none. */
export function referencesOf(raw: unknown): References {
  const nodes = members(fields(raw)['nodes']).map(([, node]) => fields(node));
  const secrets = nodes.flatMap(({ config }) => configRefs(config).secrets.map(({ name }) => name));
  const workflows = nodes.flatMap(({ type, config }) => workflowOf(type, fields(config)) ?? []);
  const each = new Map(workflows.map((one) => [`${one.workflowId} ${one.version}`, one]));
  const recordTypes = nodes.flatMap(({ type, config }) => {
    const { recordType } = fields(config);
    return type === 'extract' && typeof recordType === 'string' ? [recordType] : [];
  });
  return { secrets: [...new Set(secrets)], workflows: [...each.values()], recordTypes: [...new Set(recordTypes)] };
}

type WorkflowRef = References['workflows'][number];

function workflowOf(
  type: unknown,
  { workflowId, version }: Readonly<Record<string, unknown>>,
): WorkflowRef | undefined {
  if (type !== 'workflow' || typeof workflowId !== 'string') return undefined;
  return { workflowId, version: typeof version === 'number' ? version : null };
}

/**
 * SECRET_UNKNOWN, SECRET_UNBOUND, SUBGRAPH_UNKNOWN, SUBGRAPH_CYCLE: a nested workflow runs this one again, and FIELD_UNKNOWN: a nested
 * workflow has no such output.
 */
export function checkReferences(graph: GraphOutline): GraphIssue[] {
  return [...secretIssues(graph), ...boundIssues(graph), ...workflowIssues(graph), ...outputIssues(graph)];
}

function secretIssues({ nodes, context: { secrets } }: GraphOutline): GraphIssue[] {
  if (!secrets) return [];
  const known = [...new Set(secrets.map(({ name }) => name))];
  return [...nodes.values()].flatMap((node) =>
    configRefs(node.config)
      // A name that resembles none is SECRET_MISSING.
      .secrets.filter(({ name }) => !known.includes(name) && nearest(name, known).length > 0)
      .map(({ name, path }) => {
        const at = pointer('nodes', node.id, 'config', ...path, '$secret');
        const message = `The project has no secret "${name.slice(0, 80)}".`;
        const issue = { ...errorAt('SECRET_UNKNOWN', at, message, suggest(name, known, 'secrets')), nodeId: node.id };
        const [near] = nearest(name, known);
        return fixedBy(issue, ...(near === undefined ? [] : [setField(at, near)]));
      }),
  );
}

/** Secrets of several projects can have one name: the rule asks for a binding in one of them. The run asks again. */
function boundIssues({ nodes, context: { secrets } }: GraphOutline): GraphIssue[] {
  if (!secrets) return [];
  return [...nodes.values()].flatMap(({ id, config, definition }) => {
    return configRefs(config).secrets.flatMap(({ name, path }) => {
      const url = definition?.addressAt?.(config, path) ?? config[definition?.address ?? ''];
      const to = typeof url === 'string' ? destinationOf(url) : null;
      if (to === null) return [];
      const unbound = secrets.filter((one) => one.name === name).map((one) => unboundSecret([one], to));
      const [first] = unbound;
      if (first === undefined || first === null || unbound.includes(null)) return [];
      const at = pointer('nodes', id, 'config', ...path, '$secret');
      return [{ ...errorAt('SECRET_UNBOUND', at, first.message, first.hint), nodeId: id }];
    });
  });
}

function workflowIssues({ nodes, context }: GraphOutline): GraphIssue[] {
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
        `The workflow "${ref.workflowId}" runs this workflow again.`,
        'Use another workflow.',
      );
    }
    if (!subgraphs || subgraphs(ref.workflowId, ref.version)) return [];
    const version = ref.version === null ? '' : ` version ${ref.version}`;
    const message = `The project has no workflow "${ref.workflowId.slice(0, 80)}"${version}.`;
    return issue('SUBGRAPH_UNKNOWN', message, 'Use a published workflow of this project and one of its versions.');
  });
}

/** A warning, since a missing output is null. */
function outputIssues({ nodes, context }: GraphOutline): GraphIssue[] {
  return [...nodes.values()].flatMap(({ id, type, config }) => {
    const ref = workflowOf(type, config);
    const nested = ref === undefined ? null : context.subgraphs?.(ref.workflowId, ref.version);
    if (!nested) return [];
    const known = Object.keys(nested.outputs);
    return members(config['outputs']).flatMap(([channel, name]) => {
      if (typeof name !== 'string' || known.includes(name)) return [];
      const at = pointer('nodes', id, 'config', 'outputs', channel);
      const message = `The workflow "${ref?.workflowId}" has no output "${name.slice(0, 80)}".`;
      const issue = { ...warning(errorAt('FIELD_UNKNOWN', at, message, suggest(name, known, 'outputs'))), nodeId: id };
      const [near] = nearest(name, known);
      return [fixedBy(issue, ...(near === undefined ? [] : [setField(at, near)]))];
    });
  });
}

function leadsTo(self: string, start: WorkflowRef, load: GraphOutline['context']['subgraphs']): boolean {
  const open = new Map([[`${start.workflowId} ${start.version}`, start]]);
  for (const ref of open.values()) {
    if (ref.workflowId === self) return true;
    for (const next of referencesOf(load?.(ref.workflowId, ref.version)).workflows) {
      open.set(`${next.workflowId} ${next.version}`, next);
    }
  }
  return false;
}
