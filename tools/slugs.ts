import type { Principal } from '#src/domain/access/principal.ts';
import { own } from '#src/contracts/own.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ToolDeps } from '#tools/deps.ts';

type Members = Readonly<Record<string, unknown>>;

/** Caller, and the store. Tools that take a workflow have the store; others never reach it. */
interface Who {
  readonly principal: Pick<Principal, 'organizationId' | 'projectIds'>;
  readonly deps: Partial<Pick<ToolDeps, 'workflows' | 'code'>>;
}

/** Members that have a `workflowId` of their own. */
const holders = ['from', 'source', 'variants'] as const;

/**
 * The input with ids in place of the slugs of workflows in code: `wf_triage` becomes the id of the project's own workflow that follows it.
 * An unknown slug stays, and is not found later. Error: `request.invalid` if several projects have one, and no `projectId` chooses.
 * Source: `service.workflows.slug`, docs/decisions/0158.
 */
export async function withoutSlugs<Input>(who: Who, input: Input): Promise<Input> {
  const projectId = isObject(input) ? own(input as Members, 'projectId') : undefined;
  const replaced = async <Value>(value: Value): Promise<Value> => {
    const slug = isObject(value) ? own(value as Members, 'workflowId') : undefined;
    return isSlug(who, slug) ? { ...value, workflowId: await idOf(who, slug as string, projectId) } : value;
  };
  const whole = await replaced(input);
  if (!isObject(whole)) return whole;
  const changed: Record<string, unknown> = {};
  for (const name of holders) {
    const held = own(whole as Members, name);
    if (held === undefined) continue;
    changed[name] = Array.isArray(held) ? await Promise.all(held.map(replaced)) : await replaced(held);
  }
  return Object.keys(changed).length === 0 ? whole : { ...whole, ...changed };
}

const isSlug = ({ deps: { code } }: Who, value: unknown): boolean =>
  typeof value === 'string' && code?.workflows.some(({ id }) => id === value) === true;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

async function idOf({ principal, deps }: Who, slug: string, projectId: unknown): Promise<string> {
  const { organizationId, projectIds } = principal;
  const named = typeof projectId === 'string' ? projectIds.filter((id) => id === projectId) : projectIds;
  const found = (await deps.workflows?.followersOf({ organizationId, projectIds: named }, slug)) ?? [];
  const [only, ...more] = found;
  if (more.length === 0) return only?._id ?? slug;
  const ids = found.map(({ _id }) => _id).join(', ');
  const message = `several of your projects have ${slug}: use one of the ids ${ids}`;
  throw new AppError('request.invalid', `Field /workflowId: ${message}.`, {
    errors: [{ pointer: '/workflowId', code: 'ambiguous', message }],
  });
}
