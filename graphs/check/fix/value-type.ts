import { setField } from '#graphs/check/issue.ts';
import { fields } from '#graphs/check/outline.ts';
import type { NodeDefinition } from '#graphs/define.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import type { z } from 'zod';

type Config = Readonly<Record<string, unknown>>;

/**
 * Converts a config value to the expected type, such as "5" to 5, or removes it if the field has a default. No operations if neither
 * makes the field valid. `path` is the JSON Pointer of the value in the graph.
 */
export function fixOfType(
  { params }: Pick<NodeDefinition, 'params'>,
  config: Config,
  issue: z.core.$ZodIssue,
  path: string,
): Operation[] {
  if (issue.code !== 'invalid_type') return [];
  const given = valueAt(config, issue.path);
  if (given === undefined) return [];
  const isRight = (changed: Config): boolean =>
    (params.safeParse(changed).error?.issues ?? []).every(({ path: at }) => !isWithin(issue.path, at));
  const written = coerced(issue.expected, given);
  if (written !== undefined && isRight(changedAt(config, issue.path, written))) return [setField(path, written)];
  const [field, ...deeper] = issue.path;
  if (field === undefined || deeper.length > 0) return [];
  const { [String(field)]: _, ...others } = config;
  return isRight(others) ? [setField(path)] : [];
}

/** Converts a value; `expected` is zod's name of the type. */
function coerced(expected: string, given: unknown): unknown {
  if ((expected === 'number' || expected === 'int') && typeof given === 'string')
    return /^-?\d{1,15}(\.\d+)?$/.test(given.trim()) ? Number(given) : undefined;
  if (expected === 'boolean' && typeof given === 'string')
    return new Map([
      ['true', true],
      ['false', false],
    ]).get(given.trim().toLowerCase());
  if (expected === 'string' && (typeof given === 'number' || typeof given === 'boolean')) return String(given);
  return expected === 'array' && !Array.isArray(given) && given !== null ? [given] : undefined;
}

function isWithin(place: readonly PropertyKey[], path: readonly PropertyKey[]): boolean {
  return place.every((part, at) => path[at] === part);
}

function valueAt(value: unknown, [part, ...rest]: readonly PropertyKey[]): unknown {
  if (part === undefined) return value;
  return valueAt(Array.isArray(value) ? (value as unknown[])[Number(part)] : fields(value)[String(part)], rest);
}

function changedAt(config: Config, [part, ...rest]: readonly PropertyKey[], value: unknown): Config {
  return { ...config, [String(part)]: replaced(config[String(part)], rest, value) };
}

function replaced(here: unknown, [part, ...rest]: readonly PropertyKey[], value: unknown): unknown {
  if (part === undefined) return value;
  if (Array.isArray(here))
    return (here as unknown[]).map((one, at) => (at === Number(part) ? replaced(one, rest, value) : one));
  return { ...fields(here), [String(part)]: replaced(fields(here)[String(part)], rest, value) };
}
