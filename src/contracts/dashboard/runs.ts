import { z } from 'zod';
import { ContextResult } from '#src/contracts/resources/context.ts';
import {
  AnswerBody,
  Execution,
  ExecutionPath,
  ListRunsInput,
  RunDetail,
  RunList,
  RunPath,
} from '#src/contracts/resources/execution.ts';
import { dashboardRoute } from '#src/contracts/route.ts';

const base = '/api/dashboard';
const nothing = z.strictObject({});

/** What the Runs tab shows and does. */
export const dashboardRuns = {
  context: dashboardRoute({
    id: 'dashboard.context',
    method: 'GET',
    path: `${base}/context`,
    summary: 'Who and where you are: user, role, organization, projects, scopes, models, limits',
    query: nothing,
    reply: ContextResult,
    status: 200,
    faults: [],
  }),
  list: dashboardRoute({
    id: 'dashboard.runs',
    method: 'GET',
    path: `${base}/runs`,
    summary: 'Runs, newest first',
    query: ListRunsInput,
    reply: RunList,
    status: 200,
    faults: ['execution.not_found', 'request.cursor_invalid'],
  }),
  get: dashboardRoute({
    id: 'dashboard.run.detail',
    method: 'GET',
    path: `${base}/runs/:id`,
    summary: 'One run with its steps, outputs, open questions and receipt',
    params: RunPath,
    query: nothing,
    reply: RunDetail,
    status: 200,
    faults: ['run.not_found'],
  }),
  resume: dashboardRoute({
    id: 'dashboard.run.resume',
    method: 'POST',
    path: `${base}/runs/:id/resume`,
    summary: 'Answer the question of a run that waits',
    params: RunPath,
    body: AnswerBody,
    reply: RunDetail,
    status: 200,
    faults: ['run.not_found', 'run.not_waiting'],
  }),
  execution: dashboardRoute({
    id: 'dashboard.execution',
    method: 'GET',
    path: `${base}/executions/:id`,
    summary: 'An execution and its runs',
    params: ExecutionPath,
    query: nothing,
    reply: Execution,
    status: 200,
    faults: ['execution.not_found'],
  }),
  cancel: dashboardRoute({
    id: 'dashboard.execution.cancel',
    method: 'POST',
    path: `${base}/executions/:id/cancel`,
    summary: 'End all runs of an execution that have not ended; what has ended stays',
    params: ExecutionPath,
    reply: Execution,
    status: 200,
    faults: ['execution.not_found'],
  }),
};
