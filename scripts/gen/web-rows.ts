import { dashboardDocuments } from '#src/contracts/dashboard/documents.ts';
import { dashboardExperiments } from '#src/contracts/dashboard/experiments.ts';
import { dashboardLive } from '#src/contracts/dashboard/live.ts';
import { dashboardOperators } from '#src/contracts/dashboard/operators.ts';
import { dashboardWebhooks } from '#src/contracts/webhooks/rows.ts';
import { dashboardOrganization } from '#src/contracts/dashboard/organization.ts';
import { dashboardRecords } from '#src/contracts/dashboard/records.ts';
import { dashboardRuns } from '#src/contracts/dashboard/runs.ts';
import { dashboardWorkflows } from '#src/contracts/dashboard/workflows.ts';
import type { Route } from '#src/contracts/route.ts';

const families = {
  documents: dashboardDocuments,
  experiments: dashboardExperiments,
  live: dashboardLive,
  operators: dashboardOperators,
  organization: dashboardOrganization,
  records: dashboardRecords,
  runs: dashboardRuns,
  webhooks: dashboardWebhooks,
  workflows: dashboardWorkflows,
};

/** Method and path of each row of the dashboard API: all that the pages need of the contracts at run time. */
export function webRows(): string {
  const lines = Object.entries(families).map(([family, rows]) => {
    const inner = Object.entries(rows as Readonly<Record<string, Route>>).map(
      ([name, { method, path }]) => `    ${name}: ['${method}', '${path}'],\n`,
    );
    return `  ${family}: {\n${inner.join('')}  },\n`;
  });
  return `// Written by \`npm run gen\` from src/contracts. Changes here are lost.\nexport const rows = {\n${lines.join('')}} as const;\n`;
}
