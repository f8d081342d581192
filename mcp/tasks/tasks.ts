import type { CallToolResult, ClientCapabilities, InputRequests, InputResponses } from '@modelcontextprotocol/server';
import type { McpCaller } from '#mcp/caller.ts';

/*
 * The Tasks extension (`io.modelcontextprotocol/tasks`, SEP-2663): a `tools/call` may answer with a task instead of its result.
 *
 * A catalog that has tasks
 * - gives its implementation of `Tasks` as `McpCatalog.tasks`: the server factory then declares the extension and serves `tasks/get`,
 *   `tasks/update`, `tasks/cancel`, and `taskIds` of `subscriptions/listen` if there is a `watch`;
 * - lets a tool implement `taskOf(result)`: the id of the task that continues after this result, or null when it has ended. A client that
 *   declared the extension then gets `resultType: "task"` with the task as `get` returns it at that moment (so it must exist before
 *   the tool returns); every other client gets the result itself. A tool may still ask first (`inputRequired`);
 * - may set `needsTask: true` on a tool that has no other result: clients without the extension get error -32021.
 * Clients of 2025-11-25 and older have no tasks.
 */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

export const taskMethods = ['tasks/get', 'tasks/update', 'tasks/cancel'] as const;
export type TaskMethod = (typeof taskMethods)[number];

interface TaskFacts {
  readonly taskId: string;
  /** Text for people and models. */
  readonly statusMessage?: string;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  /** Lifetime from creation in milliseconds; null: unlimited. */
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
}

/** `failed` is for protocol errors only: a failed tool is `completed` with an `isError` result. */
export type Task = TaskFacts &
  (
    | { readonly status: 'working' | 'cancelled' }
    /** Keys are never reused for another question of the task. */
    | { readonly status: 'input_required'; readonly inputRequests: InputRequests }
    /** The result that the call would have returned had it waited. `content` is always present. */
    | { readonly status: 'completed'; readonly result: CallToolResult }
    | {
        readonly status: 'failed';
        readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
      }
  );

/** The caller that requests a task, and its capabilities. */
export interface TaskRequester {
  readonly caller: McpCaller;
  readonly capabilities: ClientCapabilities;
  readonly signal: AbortSignal;
}

/**
 * Store of tasks. Another caller's task is the same as an unknown one. Clients see the text of a `ProtocolError` or an `AppError`, and of no
 * other error. Source: SEP-2663.
 */
export interface Tasks {
  /** Resolves to null for a task that the caller does not have. */
  get(taskId: string, requester: TaskRequester): Promise<Task | null>;
  /** Accepts answers by the keys of `inputRequests` and ignores other keys. False: unknown task. */
  update(taskId: string, responses: InputResponses, requester: TaskRequester): Promise<boolean>;
  /** Idempotent. False: unknown task. */
  cancel(taskId: string, requester: TaskRequester): Promise<boolean>;
  /** Calls back when the task may have changed. Returns the function that unsubscribes. Optional, as notifications are. */
  watch?(taskId: string, requester: TaskRequester, changed: () => void): () => void;
  /** Name of the tool whose scope, toolset and rate apply to the method on this task. Absent: no restriction. */
  standsFor?(method: TaskMethod, taskId: string): string;
}

/** True when this request declared the extension. Declarations of earlier requests do not count. */
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

/** `CreateTaskResult`, without the fields that only `tasks/get` returns. The SDK validates it as a tool result, which has `content`. */
export function createdTask(task: Task): CallToolResult {
  return { ...factsOf(task), resultType: 'task', content: [] };
}

/** `DetailedTask`, for `tasks/get` and `notifications/tasks`. */
export function detailedTask(task: Task): Record<string, unknown> {
  const facts = factsOf(task);
  if (task.status === 'completed') return { ...facts, result: { ...task.result } };
  if (task.status === 'failed') return { ...facts, error: { ...task.error } };
  if (task.status === 'input_required') return { ...facts, inputRequests: task.inputRequests };
  return facts;
}
