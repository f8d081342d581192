import { AppError } from '#src/domain/app-error.ts';
import { expressionLimits } from './limits.ts';

type Path = readonly (string | number)[];

/** All `{ "$expr": "..." }` and `{ "$secret": "NAME" }` of a node's config, at any depth, with their path from the config. */
export interface ConfigRefs {
  readonly expressions: readonly { readonly path: Path; readonly source: string }[];
  readonly secrets: readonly { readonly path: Path; readonly name: string }[];
}

export interface ConfigValues {
  /** Values of the expressions by source. */
  readonly values: ReadonlyMap<string, unknown>;
  /** Values by name, as `SecretStore.reveal` returns them. */
  readonly secrets: ReadonlyMap<string, string>;
}

const keys = { expression: '$expr', secret: '$secret' } as const;

export function configRefs(config: unknown): ConfigRefs {
  const expressions: { path: Path; source: string }[] = [];
  const secrets: { path: Path; name: string }[] = [];
  visit(config, [], (value, path) => {
    const source = only(value, keys.expression);
    const name = only(value, keys.secret);
    if (source !== undefined) expressions.push({ path, source });
    if (name !== undefined) secrets.push({ path, name });
  });
  return { expressions, secrets };
}

/** True if any part is known only when the node runs. */
export function hasRefs(config: unknown): boolean {
  const { expressions, secrets } = configRefs(config);
  return expressions.length > 0 || secrets.length > 0;
}

/** A copy of the config with references replaced by values. Throws `secret.unknown`. */
export function resolveConfig(config: unknown, values: ConfigValues, depth = 0): unknown {
  if (depth > expressionLimits.valueDepth || typeof config !== 'object' || config === null) return config;
  const source = only(config, keys.expression);
  if (source !== undefined) return values.values.get(source) ?? null;
  const name = only(config, keys.secret);
  if (name !== undefined) {
    const secret = values.secrets.get(name);
    if (secret !== undefined) return secret;
    throw new AppError(
      'secret.unknown',
      `The project has no secret "${name.slice(0, 64)}". Ask an admin to set it, or use another name.`,
    );
  }
  if (Array.isArray(config)) return config.map((item) => resolveConfig(item, values, depth + 1));
  return Object.fromEntries(Object.entries(config).map(([key, item]) => [key, resolveConfig(item, values, depth + 1)]));
}

function visit(value: unknown, path: Path, found: (value: object, path: Path) => void): void {
  if (path.length > expressionLimits.valueDepth || typeof value !== 'object' || value === null) return;
  found(value, path);
  if (Array.isArray(value)) for (const [at, item] of value.entries()) visit(item, [...path, at], found);
  else for (const [key, item] of Object.entries(value)) visit(item, [...path, key], found);
}

function only(value: object, key: string): string | undefined {
  const entries = Object.entries(value);
  const [entry] = entries;
  return entries.length === 1 && entry?.[0] === key && typeof entry[1] === 'string' ? entry[1] : undefined;
}
