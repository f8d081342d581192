import { canonicalHash } from '#src/domain/canonical-json.ts';
import { AppError } from '#src/domain/app-error.ts';
import { concealer } from '#src/domain/conceal.ts';
import { redactor } from '#src/domain/redact.ts';
import type { RevealedSecret } from '#src/stores/secrets.ts';
import { configRefs, resolveConfig } from '#graphs/expression/config.ts';
import { parseConfig, type NodePlan } from '#graphs/run/plan-node.ts';
import type { NodeComputing } from '#graphs/compute/computing.ts';
import type { ChannelValues, PlacedSecret } from '#graphs/define.ts';
import type { RunContext } from '#graphs/run/run-context.ts';

/** Resolved input of one attempt of a node. */
export interface PreparedNode {
  /** The config with its references resolved. */
  readonly params: Record<string, unknown>;
  /** Secrets in the config. */
  readonly secrets: readonly PlacedSecret[];
  /** Removes the config's secrets from a text; null if it has none. */
  readonly redact: ((text: string) => string) | null;
  /** Replaces a value that holds one of the config's secrets, also in disguise; null if it has none. */
  readonly conceal: ((value: unknown) => unknown) | null;
  /** null if the outcome of this node is not cached. */
  readonly cacheKey: string | null;
}

/** Errors: `secret.unknown`, `expression.failed`, and `workflow.invalid` if a resolved value does not fit the config. */
export async function prepareNode(
  plan: NodePlan,
  context: RunContext,
  { state, computing }: { readonly state: ChannelValues; readonly computing: NodeComputing },
): Promise<PreparedNode> {
  const { params: known, node, definition, nodeId, sources } = plan;
  if (known !== null)
    return { ...withoutSecrets, params: known, cacheKey: await cacheKeyOf(plan, context, { params: known, state }) };
  const revealed = await secretsOf(plan, context);
  const found = await computing.evaluate(sources, state);
  const values = new Map(sources.map((source, at) => [source, found[at]]));
  const secrets = new Map([...revealed].map(([name, { value }]) => [name, value]));
  const params = parseConfig(definition, resolveConfig(node.config, { values, secrets }), nodeId);
  if (secrets.size === 0)
    return { ...withoutSecrets, params, cacheKey: await cacheKeyOf(plan, context, { params, state }) };
  const carried = [...secrets.values()];
  return {
    params,
    secrets: [...revealed].map(([name, { hosts }]) => ({ name, hosts, paths: placesOf(node.config, name) })),
    redact: redactor(carried),
    conceal: concealer(carried),
    cacheKey: null,
  };
}

const placesOf = (config: unknown, secret: string): readonly (readonly PropertyKey[])[] =>
  configRefs(config).secrets.flatMap(({ name, path }) => (name === secret ? [path] : []));

const withoutSecrets = { secrets: [], redact: null, conceal: null } as const;

async function secretsOf(
  { secrets: names, nodeId }: NodePlan,
  context: RunContext,
): Promise<ReadonlyMap<string, RevealedSecret>> {
  if (names.length === 0) return new Map();
  const found = (await context.revealSecrets?.(names)) ?? new Map<string, RevealedSecret>();
  const missing = names.find((name) => !found.has(name));
  if (missing === undefined) return found;
  throw new AppError(
    'secret.unknown',
    `The project has no secret "${missing}", which node "${nodeId}" uses. Ask an admin to set it, with the host that it is sent to, and run the workflow again; or use a secret of another name.`,
  );
}

/** Hash of everything that determines the outcome of a pure node. Source: docs/decisions/0030. */
async function cacheKeyOf(
  { definition, node }: NodePlan,
  { cache, deps, run }: RunContext,
  { params, state }: { params: Record<string, unknown>; state: ChannelValues },
): Promise<string | null> {
  const isPure = typeof definition.pure === 'function' ? definition.pure(params) : definition.pure;
  if (cache === undefined || !isPure || definition.cheap === true || !node.cache) return null;
  const facts =
    definition.dependsOnDocument === undefined ? [] : definition.dependsOnDocument(await deps.document(run));
  return canonicalHash({
    node: `${definition.type}@${definition.version}`,
    params,
    state,
    documentId: run.documentId,
    engines: [...(definition.dependsOn?.(deps, params) ?? []), ...facts],
  });
}
