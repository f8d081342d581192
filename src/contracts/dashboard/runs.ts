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

/** Routes of the Runs tab. */
export const dashboardRuns = {
  context: dashboardRoute({
    id: 'dashboard.context',
    method: 'GET',
    path: `${base}/context`,
    summary: 'Get your user, role, organization, projects, scopes, models and limits',
    query: nothing,
    reply: ContextResult,
    status: 200,
    errors: [],
  }),
  list: dashboardRoute({
    id: 'dashboard.runs',
    method: 'GET',
    path: `${base}/runs`,
    summary: 'List runs, newest first',
    query: ListRunsInput,
    reply: RunList,
    status: 200,
    errors: ['execution.not_found', 'request.cursor_invalid'],
  }),
  get: dashboardRoute({
    id: 'dashboard.run.detail',
    method: 'GET',
    path: `${base}/runs/:id`,
    summary: 'Get a run with its steps, outputs, open questions and receipt',
    params: RunPath,
    query: nothing,
    reply: RunDetail,
    status: 200,
    errors: ['run.not_found'],
  }),
  resume: dashboardRoute({
    id: 'dashboard.run.resume',
    method: 'POST',
    path: `${base}/runs/:id/resume`,
    summary: 'Answer the question of a waiting run',
    params: RunPath,
    body: AnswerBody,
    reply: RunDetail,
    status: 200,
    errors: ['run.not_found', 'run.not_waiting'],
  }),
  execution: dashboardRoute({
    id: 'dashboard.execution',
    method: 'GET',
    path: `${base}/executions/:id`,
    summary: 'Get an execution and its runs',
    params: ExecutionPath,
    query: nothing,
    reply: Execution,
    status: 200,
    errors: ['execution.not_found'],
  }),
  cancel: dashboardRoute({
    id: 'dashboard.execution.cancel',
    method: 'POST',
    path: `${base}/executions/:id/cancel`,
    summary: 'Cancel the unfinished runs of an execution; finished runs keep their result',
    params: ExecutionPath,
    reply: Execution,
    status: 200,
    errors: ['execution.not_found'],
  }),
};
