import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ClientCapabilities,
  type InputResponses,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Logger } from '#src/domain/ports/logger.ts';
import { callerOf, type McpCaller } from '#mcp/caller.ts';
import { protocolError } from '#mcp/present/protocol-error.ts';
import {
  taskMethods,
  type Task,
  type TaskRequester,
  type TaskMethod,
  type Tasks,
  detailedTask,
  hasTasks,
  requiredCapabilities,
} from '#mcp/tasks/tasks.ts';

/** Ids are this service's own, and none is longer. */
const params = z.looseObject({ taskId: z.string().max(200), inputResponses: z.unknown().optional() });

/** What a request of 2026-07-28 declares; null for one of an older client, which has no tasks. */
export function declaredBy({ mcpReq }: Pick<ServerContext, 'mcpReq'>): ClientCapabilities | null {
  const envelope: Readonly<Record<string, unknown>> | undefined = mcpReq.envelope;
  return envelope === undefined ? null : (envelope[CLIENT_CAPABILITIES_META_KEY] ?? {});
}

export function lacksTasks(): MissingRequiredClientCapabilityError {
  return new MissingRequiredClientCapabilityError(
    { requiredCapabilities },
    'Missing required client capability: declare the extension io.modelcontextprotocol/tasks with this request.',
  );
}

/** The same tasks, which fail only in ways that a client may read. */
export function withProtocolErrors(tasks: Tasks, logger: Logger): Tasks {
  const orProtocolError = async <T>(asked: Promise<T>, { caller: { requestId } }: TaskRequester): Promise<T> => {
    try {
      return await asked;
    } catch (error) {
      throw protocolError(error, { requestId, logger });
    }
  };
  const { standsFor } = tasks;
  const watch = tasks.watch?.bind(tasks);
  return {
    get: (taskId, requester) => orProtocolError(tasks.get(taskId, requester), requester),
    update: (taskId, responses, requester) => orProtocolError(tasks.update(taskId, responses, requester), requester),
    cancel: (taskId, requester) => orProtocolError(tasks.cancel(taskId, requester), requester),
    ...(watch !== undefined && { watch }),
    ...(standsFor !== undefined && { standsFor }),
  };
}

function noSuchTask(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'Task not found: no task with this id is yours.');
}

/** The same for a task that is not there and for another's. */
export async function requireTask(tasks: Tasks, taskId: string, requester: TaskRequester): Promise<Task> {
  const task = await tasks.get(taskId, requester);
  if (task === null) throw noSuchTask();
  return task;
}

function requesterOf(ctx: ServerContext): TaskRequester {
  const capabilities = declaredBy(ctx);
  if (capabilities === null) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
  if (!hasTasks(capabilities)) throw lacksTasks();
  return { caller: callerOf(ctx.http?.authInfo), capabilities, signal: ctx.mcpReq.signal };
}

/**
 * The methods of the extension on a server that is not connected yet. `admits`: whether the caller's connection has them at all; to
 * one that has not, every task is unknown. Errors: -32021 without the extension, -32602 for an unknown task, -32601 for older clients.
 */
export function serveTasks(
  mcp: McpServer,
  tasks: Tasks,
  admits: (caller: McpCaller, method: TaskMethod) => boolean,
): void {
  type Answer = (
    taskId: string,
    requester: TaskRequester,
    responses: InputResponses,
  ) => Promise<Record<string, unknown>>;
  const acknowledged = (known: boolean): Record<string, unknown> => {
    if (!known) throw noSuchTask();
    return {};
  };
  const answers: Readonly<Record<TaskMethod, Answer>> = {
    'tasks/get': async (taskId, requester) => detailedTask(await requireTask(tasks, taskId, requester)),
    'tasks/update': async (taskId, requester, responses) =>
      acknowledged(await tasks.update(taskId, responses, requester)),
    'tasks/cancel': async (taskId, requester) => acknowledged(await tasks.cancel(taskId, requester)),
  };
  for (const method of taskMethods)
    mcp.server.setRequestHandler(method, { params }, async ({ taskId }, ctx) => {
      const requester = requesterOf(ctx);
      if (!admits(requester.caller, method)) throw noSuchTask();
      // The SDK takes them out of the params, for they are the retry channel of other methods.
      return answers[method](taskId, requester, (ctx.mcpReq.inputResponses ?? {}) as InputResponses);
    });
}
