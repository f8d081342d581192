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

/** No id of this service is longer. */
const params = z.looseObject({ taskId: z.string().max(200), inputResponses: z.unknown().optional() });

/** Returns the capabilities that a request of 2026-07-28 declares; null for older clients, which have no tasks. */
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

/** Wraps tasks so that they fail with protocol errors only. */
export function withProtocolErrors(tasks: Tasks, logger: Logger): Tasks {
  const orProtocolError = async <T>(asked: Promise<T>, { caller: { requestId } }: TaskRequester): Promise<T> => {
    try {
      return await asked;
    } catch (error) {
      throw protocolError(error, { requestId, logger });
    }
  };
  const standsFor = tasks.standsFor?.bind(tasks);
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
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'Task not found. No task with this id belongs to you.');
}

/** Reads a task. The same error for an unknown task and for another caller's. */
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
 * Registers the methods of the extension on a server that is not connected yet. Connections that `admits` rejects know no tasks. Errors:
 * -32021 without the extension, -32602 for an unknown task, -32601 for older clients.
 */
export function serveTasks(
  mcp: McpServer,
  tasks: Tasks,
  admits: (caller: McpCaller, method: TaskMethod, taskId: string) => boolean,
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
      if (!admits(requester.caller, method, taskId)) throw noSuchTask();
      // The SDK removes inputResponses from the params, since other methods retry with them.
      return answers[method](taskId, requester, (ctx.mcpReq.inputResponses ?? {}) as InputResponses);
    });
}
