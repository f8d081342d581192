import { dashboardRuns } from '#src/contracts/dashboard/runs.ts';
import { tools } from '#tools/index.ts';
import type { Bind } from '#http/bind.ts';

/** Where one is, and the runs of the organization. */
export function mountDashboardRuns(bind: Bind): void {
  const rows = dashboardRuns;
  bind(rows.context, tools.getContext);
  bind(rows.list, tools.listRuns);
  bind(rows.get, tools.readRun);
  bind(rows.resume, tools.resumeRun, { rename: { id: 'runId' } });
  bind(rows.execution, tools.getExecution);
  bind(rows.cancel, tools.cancelRun, { rename: { id: 'executionId' } });
}
