import { AnyId } from '#src/contracts/fields.ts';
import { DeletedView, NewView, SavedView, ViewChange, ViewPath } from '#src/contracts/operators/views.ts';
import { newId } from '#src/domain/ids.ts';
import { AppError } from '#src/domain/app-error.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { ownerOf, presentView, projectOfView, requireOwnView, requireRoom } from '#tools/operators/views.ts';
import { z } from 'zod';

/** A view is of its person: whoever reads documents may save one, and the audit log leaves it out. */
const ofPerson = { scope: 'documents:read', effect: 'write', audit: false } as const;

export const createView = defineTool({
  ...ofPerson,
  name: 'create_view',
  description: 'Save the filters of a page under a name.',
  idempotent: false,
  input: NewView,
  output: SavedView,
  async run(ctx: ToolContext<'views'>, { name, page, query, sharing, projectId }) {
    const { deps, principal } = ctx;
    const place = projectOfView(principal, sharing, projectId);
    await requireRoom(ctx, { own: true, shared: sharing !== 'private' });
    const now = new Date();
    const view = {
      _id: newId('view', now),
      organizationId: principal.organizationId,
      ownerId: ownerOf(principal),
      name,
      page,
      query,
      sharing,
      projectId: place,
      createdAt: now,
      updatedAt: now,
    };
    await deps.views.insert(view);
    return presentView(principal, view);
  },
});

export const changeView = defineTool({
  ...ofPerson,
  name: 'change_view',
  description: 'Rename a saved view, or change its filters or who sees it.',
  idempotent: true,
  input: z.strictObject({ ...ViewChange.shape, viewId: AnyId }),
  output: SavedView,
  async run(ctx: ToolContext<'views'>, { viewId, name, query, sharing, projectId }) {
    const { deps, principal } = ctx;
    const before = await requireOwnView(ctx, viewId);
    const shares = sharing ?? before.sharing;
    const moves = sharing !== undefined || projectId !== undefined;
    const place = moves ? projectOfView(principal, shares, projectId ?? undefined) : before.projectId;
    if (before.sharing === 'private' && shares !== 'private') await requireRoom(ctx, { own: false, shared: true });
    const change = {
      ...(name !== undefined && { name }),
      ...(query !== undefined && { query }),
      sharing: shares,
      projectId: place,
    };
    const after = await deps.views.change(principal.organizationId, viewId, change);
    if (after === null) throw new AppError('view.not_found', 'The view was deleted meanwhile. Save it as a new one.');
    return presentView(principal, after);
  },
});

export const deleteView = defineTool({
  ...ofPerson,
  name: 'delete_view',
  description: 'Delete a saved view.',
  effect: 'destroy',
  idempotent: true,
  input: ViewPath,
  output: DeletedView,
  async run(ctx: ToolContext<'views'>, { viewId }) {
    await requireOwnView(ctx, viewId);
    await ctx.deps.views.delete(ctx.principal.organizationId, viewId);
    return { viewId, deleted: true as const };
  },
});
