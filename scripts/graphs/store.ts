import type { WorkflowRecord } from '#src/domain/runs/workflow.ts';
import type { App } from '#app/compose.ts';
import type { ToolContext } from '#tools/define.ts';
import { cliContext } from '#scripts/cli/cli-context.ts';
import { chooseVersion, requireWorkflow } from '#tools/workflows/require-workflow.ts';

/** Workflows of one project, as the command line sees them. */
export interface Store {
  /** For use cases: everything about workflows but publishing, as `cli`. */
  readonly context: ToolContext;
  /** For use cases that read runs. */
  readonly runs: ToolContext;
  list(): Promise<readonly WorkflowRecord[]>;
  /** Draft, else published version; `wf_...@3` is version 3. Errors: `workflow.not_found`, `workflow.version_not_found`. */
  graph(ref: string): Promise<unknown>;
}

export function storeOf(app: App, place: { readonly organizationId: string; readonly projectId: string }): Store {
  const { workflows } = app.deps;
  const context = cliContext(app, place, ['workflows:write']);
  const { principal } = context;
  return {
    context,
    runs: cliContext(app, place, ['runs:read']),
    async list() {
      const found: WorkflowRecord[] = [];
      for (;;) {
        const last = found.at(-1);
        const page = await workflows.list(principal, last ? { createdAt: last.createdAt, id: last._id } : null, 100);
        found.push(...page);
        if (page.length < 100) return found;
      }
    },
    async graph(ref) {
      const [, id = ref, version] = /^(.*)@([1-9]\d{0,8})$/.exec(ref) ?? [];
      const chosen = version === undefined ? undefined : Number(version);
      return (await chooseVersion(context, await requireWorkflow(context, id), chosen)).graph;
    },
  };
}
