import type { Request, Response } from 'express';
import { dashboardWorkflows } from '#src/contracts/dashboard/workflows.ts';
import { AppError } from '#src/domain/app-error.ts';
import { tools } from '#tools/index.ts';
import type { Bind } from '#http/bind.ts';

/** Workflows as they are edited, and what they are made of. */
export function mountDashboardWorkflows(bind: Bind): void {
  const rows = dashboardWorkflows;
  bind(rows.list, tools.listWorkflows);
  bind(rows.create, tools.createWorkflow, {
    present(response, output) {
      response.setHeader('location', rows.get.path.replace(':workflowId', String(output['workflowId'])));
      revisionTag(response, output);
    },
  });
  bind(rows.validate, tools.validateWorkflow);
  bind(rows.get, tools.getWorkflow, { present: revisionTag });
  bind(rows.edit, tools.updateWorkflow, { prepare: ifMatch, present: revisionTag });
  bind(rows.remove, tools.deleteWorkflow);
  bind(rows.versions, tools.listWorkflowVersions);
  bind(rows.version, tools.getWorkflow);
  bind(rows.diff, tools.diffWorkflowVersions);
  bind(rows.publish, tools.publishWorkflow, {
    prepare: ifMatch,
    present(response, _, outcome) {
      if (outcome.created === false) response.status(200);
    },
  });
  bind(rows.restore, tools.restoreWorkflowVersion, { prepare: ifMatch, present: revisionTag });
  bind(rows.nodeTypes, tools.describeNodeTypes);
}

/** The draft's revision is the tag that `If-Match` takes. */
function revisionTag(response: Response, { revision }: Record<string, unknown>): void {
  if (typeof revision === 'number') response.setHeader('etag', `"${revision}"`);
}

/** The header `If-Match` is another name of the field `baseVersion`; both, and different, is `request.invalid`. */
function ifMatch(request: Request): unknown {
  const header = request.headers['if-match'];
  const body: unknown = request.body;
  if (header === undefined || typeof body !== 'object' || body === null) return body;
  const baseVersion = Number(/^"?([1-9][0-9]{0,8})"?$/.exec(header)?.[1] ?? NaN);
  const given = 'baseVersion' in body ? body.baseVersion : baseVersion;
  if (given === baseVersion) return { ...body, baseVersion };
  throw new AppError(
    'request.invalid',
    'If-Match: send the revision of the draft, such as "7", and no other baseVersion.',
    {
      errors: [{ pointer: '/baseVersion', code: 'conflict', message: 'is not what the header If-Match says' }],
    },
  );
}
