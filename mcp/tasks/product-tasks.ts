import type { ToolDeps } from '#tools/deps.ts';
import { executionTasks } from '#mcp/tasks/execution-tasks.ts';
import { experimentTasks } from '#mcp/tasks/experiment-tasks.ts';
import type { Tasks } from '#mcp/tasks/tasks.ts';

const experimentId = /^xp_/;

/** Tasks of the product, told apart by their ids: experiments, and executions. */
export function productTasks(deps: ToolDeps): Tasks {
  const experiments = experimentTasks(deps);
  const executions = executionTasks(deps);
  const of = (taskId: string): Tasks => (experimentId.test(taskId) ? experiments : executions);
  return {
    standsFor: (method, taskId) => of(taskId).standsFor?.(method, taskId) ?? '',
    get: (taskId, requester) => of(taskId).get(taskId, requester),
    update: (taskId, responses, requester) => of(taskId).update(taskId, responses, requester),
    cancel: (taskId, requester) => of(taskId).cancel(taskId, requester),
    watch: (taskId, requester, changed) => of(taskId).watch?.(taskId, requester, changed) ?? (() => undefined),
  };
}
