import type { CallToolResult, ClientCapabilities } from '@modelcontextprotocol/server';
import { tasksExtension, type Task } from '#mcp/tasks/tasks.ts';

/** Whether this request declared the extension; what an earlier one declared does not count. */
export function hasTasks(capabilities: ClientCapabilities | undefined): boolean {
  return capabilities?.extensions?.[tasksExtension] !== undefined;
}

export const requiredCapabilities: ClientCapabilities = { extensions: { [tasksExtension]: {} } };

function factsOf({ taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs }: Task) {
  return {
    taskId,
    status,
    ...(statusMessage === undefined ? {} : { statusMessage }),
    createdAt: createdAt.toISOString(),
    lastUpdatedAt: lastUpdatedAt.toISOString(),
    ttlMs,
    pollIntervalMs,
  };
}

/** `CreateTaskResult`: never what only `tasks/get` may tell. The SDK checks it as a result of a tool, which has `content`. */
export function createdTask(task: Task): CallToolResult {
  return { ...factsOf(task), resultType: 'task', content: [] };
}

/** `DetailedTask`: of `tasks/get` and `notifications/tasks`. */
export function detailedTask(task: Task): Record<string, unknown> {
  const facts = factsOf(task);
  if (task.status === 'completed') return { ...facts, result: { ...task.result } };
  if (task.status === 'failed') return { ...facts, error: { ...task.error } };
  if (task.status === 'input_required') return { ...facts, inputRequests: task.inputRequests };
  return facts;
}
