import type { z } from 'zod';
import { type SavedView, viewLimits } from '#src/contracts/operators/views.ts';
import { projectFor, type Principal } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { SavedViewRecord } from '#src/domain/operators/saved-view.ts';
import { invalidInput } from '#tools/call.ts';
import type { ToolContext } from '#tools/define.ts';

/** Views belong to people; a key that calls for one has views of its own. */
export const ownerOf = ({ session, actorId }: Principal): string => session?.userId ?? actorId;

const mayRead = (principal: Principal, { ownerId, sharing, projectId }: SavedViewRecord): boolean =>
  ownerId === ownerOf(principal) ||
  sharing === 'organization' ||
  (sharing === 'project' && projectId !== null && principal.projectIds.includes(projectId));

const isAdmin = ({ session }: Principal): boolean => session?.role === 'admin' || session?.role === 'owner';

export function presentView(principal: Principal, view: SavedViewRecord): z.input<typeof SavedView> {
  return {
    viewId: view._id,
    name: view.name,
    page: view.page,
    query: view.query,
    sharing: view.sharing,
    projectId: view.projectId,
    ownerId: view.ownerId,
    mine: view.ownerId === ownerOf(principal),
    createdAt: view.createdAt.toISOString(),
    updatedAt: view.updatedAt.toISOString(),
  };
}

/** Project of a view: of a shared one the named project, else none. Errors: `project.not_found`, `request.invalid`. */
export function projectOfView(
  principal: Principal,
  sharing: SavedViewRecord['sharing'],
  projectId: string | undefined,
): string | null {
  if (sharing === 'project') return projectFor(principal, projectId);
  if (projectId === undefined) return null;
  throw invalidInput([
    { pointer: '/projectId', code: 'invalid_value', message: 'leave it out unless sharing is project' },
  ]);
}

/** A view that the caller may change. Errors: `view.not_found`; `auth.forbidden` for a shared view of another person. */
export async function requireOwnView(
  { deps, principal }: ToolContext<'views'>,
  viewId: string,
): Promise<SavedViewRecord> {
  const view = await deps.views.find(principal.organizationId, viewId);
  if (view === null || !mayRead(principal, view))
    throw new AppError('view.not_found', 'You have no saved view with this id. Take an id from the list of views.');
  if (view.ownerId === ownerOf(principal) || isAdmin(principal)) return view;
  throw new AppError('auth.forbidden', 'Another person saved this view. Save it under a name of yours to change it.');
}

/** Error: `view.too_many`. */
export async function requireRoom(
  { deps, principal }: ToolContext<'views'>,
  { own, shared }: { readonly own: boolean; readonly shared: boolean },
): Promise<void> {
  const { organizationId } = principal;
  if (own && (await deps.views.countOf(organizationId, ownerOf(principal))) >= viewLimits.ofPerson)
    throw new AppError('view.too_many', `You have ${viewLimits.ofPerson} saved views, the maximum. Delete one.`);
  if (shared && (await deps.views.countShared(organizationId)) >= viewLimits.ofOrganization)
    throw new AppError(
      'view.too_many',
      `The organization shares ${viewLimits.ofOrganization} views, the maximum. Save it as private, or delete a shared one.`,
    );
}
