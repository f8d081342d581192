import type { z } from 'zod';
import type { Scope } from '#src/contracts/scopes.ts';
import { knownFields } from '#src/contracts/shapes/known-fields.ts';
import { oversize } from '#src/contracts/shapes/oversize.ts';
import { callerWith } from '#src/domain/access/rights.ts';
import { requireRecentSignIn } from '#src/domain/access/recent-sign-in.ts';
import { AppError, type FieldError } from '#src/domain/app-error.ts';
import { announced, countDenied, isAudited } from '#tools/audit/announced.ts';
import { cappedLimit } from '#tools/capped-limit.ts';
import type { Tool, ToolContext } from '#tools/define.ts';
import type { ToolDeps } from '#tools/deps.ts';
import { withoutSlugs } from '#tools/slugs.ts';

const escapePointer = (part: PropertyKey): string => String(part).replaceAll('~', '~0').replaceAll('/', '~1');

const pointerOf = (path: readonly PropertyKey[]): string => path.map((part) => `/${escapePointer(part)}`).join('');

const prefix = 'Invalid input: ';

/** Joins what the alternatives of a union say about the whole value; of a union alone, zod says "Invalid input". */
function unionMessage({ errors, message }: z.core.$ZodIssueInvalidUnion): string {
  const said = errors.flatMap((issues) => issues.filter(({ path }) => path.length === 0).slice(0, 1));
  const parts = new Set(said.map((issue) => issue.message.replace(prefix, '')));
  return parts.size === 0 || parts.size > 4 ? message : prefix + [...parts].join(', or ');
}

/** Converts zod's issues to field errors. Values are left out: they may be secrets or text of documents. */
export function fieldErrors(
  error: z.ZodError,
  known: (path: readonly PropertyKey[]) => readonly string[] = () => [],
): FieldError[] {
  return error.issues.flatMap((issue) => {
    const pointer = pointerOf(issue.path);
    if (issue.code === 'unrecognized_keys') {
      const fields = known(issue.path);
      // The first says which there are; each of the others would repeat it.
      return issue.keys.map((key, at) => ({
        pointer: `${pointer}/${escapePointer(key)}`,
        code: 'unknown_field',
        message:
          at === 0 && fields.length > 0 ? `unknown field; there are: ${fields.join(', ')}` : 'unknown field: remove it',
      }));
    }
    const message = issue.code === 'invalid_union' ? unionMessage(issue) : issue.message;
    return [{ pointer, code: issue.code, message }];
  });
}

/**
 * Checks a value from outside against its schema. Objects with far too many fields are refused before validation, which would list each.
 * `errors` receives what is wrong.
 */
export function validated<T extends z.ZodType>(
  schema: T,
  value: unknown,
  errors: FieldError[],
): z.output<T> | undefined {
  const large = oversize(schema, value);
  if (large !== null) {
    errors.push({ pointer: pointerOf(large.path), code: large.code, message: large.message });
    return undefined;
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  errors.push(...fieldErrors(result.error, (path) => knownFields(schema, value, path)));
  return undefined;
}

export function invalidInput(errors: readonly FieldError[]): AppError {
  const [first] = errors;
  const where = first === undefined || first.pointer === '' ? 'The request' : `Field ${first.pointer}`;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new AppError('request.invalid', `${where}: ${first?.message ?? 'not as expected'}${more}.`, { errors });
}

/** Error: `request.invalid`. */
export function checked<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const errors: FieldError[] = [];
  const read = validated(schema, value, errors);
  if (errors.length > 0) throw invalidInput(errors);
  return read as z.output<T>;
}

/** Tells a member who has the scope in some projects only why something of another project is not found. */
function explained(error: unknown, scope: Scope | null): unknown {
  if (!(error instanceof AppError) || error.row.status !== 404) return error;
  const { code, detail, errors, data } = error;
  const more = { errors, cause: error, ...(data !== undefined && { data }) };
  return new AppError(code, `${detail} Only projects in which your role has ${scope} count.`, more);
}

/**
 * Calls a tool: checks the scope, limits the caller to the projects where they have it, parses the input, runs the tool, parses the
 * output. MCP and REST both call tools through this function. Errors: `auth.forbidden`, `auth.reauthentication_required`,
 * `request.invalid`, and the tool's own. Any other error is unexpected: facades answer `service.internal`.
 */
export async function callTool<Input extends z.ZodType, Output extends z.ZodObject, Needs extends keyof ToolDeps>(
  tool: Tool<Input, Output, Needs>,
  ctx: ToolContext<NoInfer<Needs> | 'audit'>,
  raw: unknown,
): Promise<z.output<Output>> {
  try {
    const principal = callerWith(tool.scope, ctx.principal);
    const parsed = checked(tool.input, raw);
    const capped = cappedLimit(raw, parsed);
    if (capped !== null) ctx.outcome.limitCapped = capped;
    if (tool.recentSignIn !== undefined && (tool.recentSignIn === true || tool.recentSignIn(parsed)))
      requireRecentSignIn(ctx.principal.session);
    const narrowed = principal === ctx.principal ? ctx : { ...ctx, principal };
    // A tool that takes a workflow has the store; for others the lookup never happens.
    const input = await withoutSlugs({ principal, deps: narrowed.deps as Partial<ToolDeps> }, parsed);
    const run = (inside: ToolContext<Needs | 'audit'>) => tool.run(inside, input);
    const output = isAudited(tool) ? announced(tool, { ctx: narrowed, input }, run) : run(narrowed);
    return tool.output.parse(
      await output.catch((error: unknown) => {
        throw principal.projectIds.length < ctx.principal.projectIds.length ? explained(error, tool.scope) : error;
      }),
    );
  } catch (error) {
    countDenied(ctx, tool.name, error);
    throw error;
  }
}
