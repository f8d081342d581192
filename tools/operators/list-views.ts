import { ViewList, ViewsQuery } from '#src/contracts/operators/views.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { ownerOf, presentView } from '#tools/operators/views.ts';

export const listViews = defineTool({
  name: 'list_views',
  description: 'Saved views of the caller, and those shared with them.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: ViewsQuery,
  output: ViewList,
  async run({ deps, principal }: ToolContext<'views'>, { page }) {
    const { organizationId, projectIds } = principal;
    const views = await deps.views.list({ organizationId, ownerId: ownerOf(principal), projectIds });
    return {
      views: views
        .filter((view) => page === undefined || view.page === page)
        .map((view) => presentView(principal, view)),
    };
  },
});
