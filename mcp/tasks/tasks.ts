import type { CallToolResult, ClientCapabilities, InputRequests, InputResponses } from '@modelcontextprotocol/server';
import type { McpCaller } from '#mcp/caller.ts';

/*
 * The Tasks extension (`io.modelcontextprotocol/tasks`, SEP-2663): a `tools/call` may answer with a task instead of its result.
 *
 * A catalog that has tasks
 * - gives its implementation of `Tasks` as `McpCatalog.tasks`: the face then declares the extension and serves `tasks/get`,
 *   `tasks/update`, `tasks/cancel`, and `taskIds` of `subscriptions/listen` where there is a `watch`;
 * - lets a tool say `taskOf(result)`: the id of the task that goes on behind this result, or null when it has ended. A client that
 *   declared the extension then gets `resultType: "task"` with the task as `get` tells it at that moment (so it must exist before
 *   the tool answers); every other client gets the result itself. A tool that asks first (`inputRequired`) does so as ever;
 * - may say `needsTask: true` of a tool that has no other answer: clients without the extension get error -32021.
 * Clients of 2025-11-25 and older have no tasks.
 */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

export const taskMethods = ['tasks/get', 'tasks/update', 'tasks/cancel'] as const;
export type TaskMethod = (typeof taskMethods)[number];

interface TaskFacts {
  readonly taskId: string;
  /** For people and models. */
  readonly statusMessage?: string;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  /** From creation, in milliseconds; null: kept. */
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
}

/** `failed` is for errors of the protocol only: a tool that failed has `completed` with a result of `isError`. */
export type Task = TaskFacts &
  (
    | { readonly status: 'working' | 'cancelled' }
    /** Keys are never used again for another question of the task. */
    | { readonly status: 'input_required'; readonly inputRequests: InputRequests }
    /** What the call would have answered had it waited. `content` is always there. */
    | { readonly status: 'completed'; readonly result: CallToolResult }
    | {
        readonly status: 'failed';
        readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
      }
  );

/** Who asks about a task, and what it can be asked. */
export interface TaskRequester {
  readonly caller: McpCaller;
  readonly capabilities: ClientCapabilities;
  readonly signal: AbortSignal;
}

/**
 * Where tasks are. A task of another caller is answered like one that never was. What a `ProtocolError` or a fault says, the client
 * reads; of anything else it learns nothing. Source: SEP-2663.
 */
export interface Tasks {
  /** null: there is no such task for this caller. */
  get(taskId: string, requester: TaskRequester): Promise<Task | null>;
  /** Takes answers by the keys of `inputRequests`; those to keys that are not open are ignored. False: no such task. */
  update(taskId: string, responses: InputResponses, requester: TaskRequester): Promise<boolean>;
  /** Again, or after the end, it changes nothing. False: no such task. */
  cancel(taskId: string, requester: TaskRequester): Promise<boolean>;
  /** Calls back when the task may have changed; may be missing, as notifications are optional. Answers how to stop. */
  watch?(taskId: string, requester: TaskRequester, changed: () => void): () => void;
  /** The tool of the catalog that each method does the work of: its scope, toolset and rate count. Absent: any caller. */
  readonly standsFor?: Readonly<Record<TaskMethod, string>>;
}

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
