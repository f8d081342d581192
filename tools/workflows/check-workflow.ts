import type { GraphCheck } from '#graphs/check.ts';
import type { CheckFacts } from '#graphs/compute/check-in-thread.ts';
import { referencesOf } from '#graphs/check/references.ts';
import { applyOperations } from '#graphs/edit/apply.ts';
import { unfitJson } from '#graphs/edit/json-value.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import { limits } from '#src/contracts/fields.ts';
import { fieldErrorsMax } from '#src/contracts/shapes/oversize.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ToolContext } from '#tools/define.ts';
import type { RecordTypeRecord } from '#src/domain/records/record-type.ts';
import type { SecretInfo } from '#src/stores/secrets.ts';

/** Dependencies of a check. */
export type CheckDeps = 'builtInTools' | 'checkGraph' | 'recordTypes' | 'secrets' | 'workflows';
type Who = Pick<ToolContext<CheckDeps>, 'deps' | 'principal'>;

/** Limit of subgraphs that one check loads. */
const maxSubgraphs = 100;

/** Facts that the checker needs from outside of the graph: secrets with their hosts, and the graphs of subgraph nodes. */
async function checkContextOf(who: Who, raw: unknown, workflowId?: string): Promise<CheckFacts> {
  const subgraphs = await loadSubgraphs(who, raw);
  const { recordTypes } = referencesOf(raw);
  const needsSecrets = [raw, ...subgraphs.values()].some((graph) => referencesOf(graph).secrets.length > 0);
  const isTool = typeof raw === 'object' && raw !== null && 'tool' in raw;
  const projectIds = needsSecrets || isTool || recordTypes.length > 0 ? await projectsNear(who, workflowId) : [];
  const known = needsSecrets ? await secretsNear(who, projectIds) : [];
  return {
    secrets: known.map(({ name, hosts }) => ({ name, hosts })),
    subgraphs,
    ...(workflowId !== undefined && { workflowId }),
    recordTypes: await recordTypesNear(who, projectIds, recordTypes),
    ...(isTool && { tools: await toolsNear(who, projectIds, workflowId) }),
  };
}

/** Names of MCP tools that this workflow cannot have. Other projects than its own count only before it has one. */
async function toolsNear({ deps, principal }: Who, near: readonly string[], workflowId: string | undefined) {
  const { organizationId } = principal;
  const found = await deps.workflows.listTools({ organizationId, projectIds: near }, limits.workflowToolsListed);
  const others = found.filter(({ _id }) => _id !== workflowId);
  const taken = new Map<string, string>([...(await deps.builtInTools())].map((name) => [name, 'A built-in tool']));
  // Without a project of its own, a name is not known to be taken.
  const named = near.length === 1 ? others : [];
  for (const { _id, tool } of named) if (tool !== undefined) taken.set(tool.name, `The workflow ${_id}`);
  return { taken, isFull: named.length >= limits.workflowTools };
}

/** The workflow's project; before the workflow exists, every project that it could belong to. */
async function projectsNear({ deps, principal }: Who, workflowId: string | undefined): Promise<readonly string[]> {
  const workflow = workflowId === undefined ? null : await deps.workflows.find(principal, workflowId);
  return workflow === null ? principal.projectIds : [workflow.projectId];
}

async function secretsNear({ deps, principal }: Who, near: readonly string[]): Promise<readonly SecretInfo[]> {
  return (await Promise.all(near.map((projectId) => deps.secrets.list(principal.organizationId, projectId)))).flat();
}

/** Fields of record types; none if the project is not certain, since each project can have its own type of a name. */
async function recordTypesNear({ deps, principal }: Who, near: readonly string[], names: readonly string[]) {
  const [projectId, ...others] = near;
  if (projectId === undefined || others.length > 0) return new Map<string, RecordTypeRecord['fields']>();
  const of = { organizationId: principal.organizationId, projectId };
  const found = await Promise.all(names.slice(0, maxSubgraphs).map((name) => deps.recordTypes.find(of, name)));
  return new Map(found.flatMap((type) => (type === null ? [] : [[type.name, type.fields] as const])));
}

async function loadSubgraphs({ deps, principal }: Who, raw: unknown): Promise<ReadonlyMap<string, StoredGraph>> {
  const found = new Map<string, StoredGraph>();
  const open = [...referencesOf(raw).workflows];
  const seen = new Set<string>();
  for (const { workflowId, version } of open) {
    const name = `${workflowId} ${version}`;
    if (seen.has(name) || seen.size >= maxSubgraphs) continue;
    seen.add(name);
    const workflow = await deps.workflows.find(principal, workflowId);
    const number = version ?? workflow?.publishedVersion ?? null;
    if (workflow === null || number === null) continue;
    const stored = await deps.workflows.findVersion(workflow.organizationId, workflowId, number);
    if (stored === null) continue;
    found.set(name, stored.graph);
    open.push(...referencesOf(stored.graph).workflows);
  }
  return found;
}

/** Checks a graph of this project. Error: `request.invalid` for JSON that cannot be stored. */
export async function checkWorkflow(who: Who, raw: unknown, workflowId?: string): Promise<GraphCheck> {
  const unfit = unfitJson(raw);
  if (unfit !== null)
    throw new AppError('request.invalid', `graph: ${unfit}`, {
      errors: [{ pointer: '/graph', code: 'unstorable', message: unfit }],
    });
  return who.deps.checkGraph(raw, await checkContextOf(who, raw, workflowId));
}

interface Declared {
  readonly check: GraphCheck;
  /** The graph with the declarations; undefined if its shape is invalid. */
  readonly graph: StoredGraph | undefined;
  /** `set_state_field` for each channel that a node writes and `state` left out. */
  readonly declarations: readonly Operation[];
}

/**
 * Checks a graph after declaring the channels that its nodes write, so that an edit can leave `set_state_field` out. A channel that
 * `operations` remove stays out. Source: docs/decisions/0169.
 */
export async function checkDeclared(
  who: Who,
  raw: unknown,
  {
    workflowId,
    operations = [],
  }: { readonly workflowId?: string | undefined; readonly operations?: readonly Operation[] },
): Promise<Declared> {
  const check = await checkWorkflow(who, raw, workflowId);
  const removed = new Set(operations.flatMap((one) => (one.op === 'remove_state_field' ? [one.name] : [])));
  const declarations = check.declarations.filter((one) => one.op !== 'set_state_field' || !removed.has(one.name));
  if (check.graph === undefined || declarations.length === 0) return { check, graph: check.graph, declarations: [] };
  const { graph } = applyOperations(check.graph, declarations);
  return { check: await checkWorkflow(who, graph, workflowId), graph, declarations };
}

/**
 * Checks an immutable graph: a published version, or a draft at one revision, identified by `name`. The result is cached if the graph
 * names nothing outside of itself.
 */
export async function checkStored(
  who: Who & Pick<ToolContext<'checks'>, 'deps'>,
  graph: StoredGraph,
  { workflowId, name }: { readonly workflowId: string; readonly name: string },
): Promise<GraphCheck> {
  const { checks } = who.deps;
  const key = `${who.principal.organizationId} ${name}`;
  const kept = checks.get(key);
  if (kept !== undefined) return kept;
  const check = await checkWorkflow(who, graph, workflowId);
  const { secrets, workflows, recordTypes } = referencesOf(graph);
  // Languages can be added meanwhile.
  const lacks = check.issues.some(({ code }) => code === 'LANGUAGE_MISSING');
  const isAlone = graph.tool === undefined && [secrets, workflows, recordTypes].every((named) => named.length === 0);
  if (isAlone && !lacks) {
    const { graph: _, ...said } = check;
    checks.set(key, said, { size: JSON.stringify(said).length });
  }
  return check;
}

/** Converts the result to its contract. */
export function presentCheck({ valid, issues, stats }: GraphCheck): Presented {
  return {
    valid,
    issues: issues.map(({ fix, ...issue }) => ({ ...issue, ...(fix !== undefined && { fix: [...fix] }) })),
    stats: { ...stats },
  };
}

type Issue = GraphCheck['issues'][number];
interface Presented {
  readonly valid: boolean;
  readonly issues: (Omit<Issue, 'fix'> & { fix?: unknown[] })[];
  readonly stats: Record<string, number>;
}

/** Error with the first issues of a graph. `at` is the JSON Pointer of the graph in the request. */
export function invalidGraph(check: GraphCheck, what: string, at: string): AppError {
  const errors = check.issues.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new AppError('workflow.invalid', `${what}: ${first?.message ?? 'it does not check.'}${more}`, {
    errors: errors.map(({ path, code, message, hint }) => ({
      pointer: `${at}${path}`,
      code,
      message: `${message} ${hint}`,
    })),
    data: { issues: presentCheck(check).issues.slice(0, fieldErrorsMax) },
  });
}
