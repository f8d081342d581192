import {
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
  type ClientCapabilities,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import { callerOf, type McpCaller } from '#mcp/caller.ts';
import { areStrings, asListen, type ListenRequest } from '#mcp/updates/listen-request.ts';
import { errorAnswer, mayPass } from '#mcp/present/protocol-error.ts';
import { forward, messagesOf, OutStream, type StreamMessage } from '#mcp/tasks/out-stream.ts';
import { lacksTasks } from '#mcp/tasks/serve.ts';
import { type Task, type TaskRequester, type Tasks, detailedTask, hasTasks } from '#mcp/tasks/tasks.ts';

type Fetch = McpHttpHandler['fetch'];

/** Tasks of one stream. Further ids are left out of the acknowledgement. */
const tasksMax = 50;
const streamsMax = 1_024;
/** Final statuses. */
const ended: ReadonlySet<Task['status']> = new Set(['completed', 'cancelled', 'failed']);

interface Stream {
  readonly listen: ListenRequest;
  /** Ids as requested. */
  readonly taskIds: readonly string[];
  readonly requester: TaskRequester;
  /** The SDK's messages for the rest of the request. */
  readonly inner: ReadableStreamDefaultReader<StreamMessage>;
}

/**
 * Adds `notifications/tasks`, which the SDK does not know, to the streams of `subscriptions/listen`. The SDK handles the rest of the request,
 * and its messages pass through. A notification has the task as `tasks/get` returns it: first when the stream opens, then after each change.
 * Source: SEP-2663, "Task Status Notifications".
 */
export class TaskStreams {
  readonly #tasks: Tasks;
  readonly #admits: (caller: McpCaller, taskId: string) => boolean;
  readonly #open = new Set<() => void>();

  /** `admits` returns true when the caller's connection offers this kind of task. */
  constructor(tasks: Tasks, admits: (caller: McpCaller, taskId: string) => boolean) {
    this.#tasks = tasks;
    this.#admits = admits;
  }

  over(fetch: Fetch): Fetch {
    if (this.#tasks.watch === undefined) return fetch;
    return async (request, options) => {
      const listen = asListen(options?.parsedBody);
      const taskIds = listen?.params.notifications.taskIds;
      if (listen === null || !areStrings(taskIds)) return fetch(request, options);
      const { notifications, ...params } = listen.params;
      const { taskIds: _, ...others } = notifications;
      const response = await fetch(request, {
        ...options,
        parsedBody: { ...listen, params: { ...params, notifications: others } },
      });
      const streams = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
      if (!streams || response.body === null) return response;
      const inner = messagesOf(response.body);
      const capabilities = (params._meta?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
      if (!hasTasks(capabilities)) {
        await inner.cancel();
        return errorAnswer(listen.id, lacksTasks(), 400);
      }
      const requester = { caller: callerOf(options?.authInfo), capabilities, signal: request.signal };
      try {
        return new Response(await this.#stream({ listen, taskIds, requester, inner }), { headers: response.headers });
      } catch (error) {
        await inner.cancel();
        if (error instanceof ProtocolError) return errorAnswer(listen.id, error);
        throw error;
      }
    };
  }

  close(): void {
    for (const end of this.#open) end();
  }

  /** Returns the ids of tasks that the caller may read, each once. */
  async #agreed({ taskIds, requester }: Stream): Promise<readonly string[]> {
    if (this.#open.size >= streamsMax) return [];
    const ids = [...new Set(taskIds)].filter((id) => this.#admits(requester.caller, id)).slice(0, tasksMax);
    const found = await Promise.all(ids.map((id) => this.#read(id, requester)));
    return ids.filter((_, index) => found[index] !== null);
  }

  async #stream(stream: Stream): Promise<ReadableStream<Uint8Array>> {
    const { listen, requester, inner } = stream;
    const taskIds = await this.#agreed(stream);
    const { value } = await inner.read();
    const honored = value?.params?.['notifications'] ?? {};
    const notifications = taskIds.length === 0 ? honored : { ...honored, taskIds };
    const out = new OutStream(listen.id, () => inner.cancel());
    const leave = (): void => out.leave();
    const end = (): void => out.end();
    this.#open.add(end);
    requester.signal.addEventListener('abort', leave, { once: true });
    out.stops.push(() => {
      this.#open.delete(end);
      requester.signal.removeEventListener('abort', leave);
    });
    out.notify('notifications/subscriptions/acknowledged', { notifications });
    for (const taskId of taskIds) this.#follow(taskId, requester, out);
    // For a stream of tasks only, the SDK sends nothing more.
    void forward(inner, out).finally(taskIds.length === 0 ? end : () => undefined);
    if (requester.signal.aborted) leave();
    return out.readable;
  }

  /** Sends a task now and after each change until it ends. Reads one at a time. */
  #follow(taskId: string, requester: TaskRequester, out: OutStream): void {
    let last: string | null = null;
    let reading = false;
    let stale = false;
    const watching: { stop?: () => void } = {};
    const look = async (): Promise<void> => {
      stale = true;
      if (reading) return;
      reading = true;
      while (stale) {
        stale = false;
        const task = await this.#read(taskId, requester);
        const state = task === null ? null : detailedTask(task);
        const text = JSON.stringify(state);
        if (state !== null && text !== last) out.notify('notifications/tasks', state);
        last = text;
        if (task !== null && ended.has(task.status)) watching.stop?.();
      }
      reading = false;
    };
    // When tasks cannot be read, the stream ends and the client reconnects.
    const changed = (): void => void look().catch(() => out.end());
    const stop = this.#tasks.watch?.(taskId, requester, changed);
    if (stop !== undefined) out.stops.push((watching.stop = stop));
    changed();
  }

  /** Resolves to null for a task that the caller may not read. Rejects with transient errors. */
  async #read(taskId: string, requester: TaskRequester): Promise<Task | null> {
    try {
      return await this.#tasks.get(taskId, requester);
    } catch (error) {
      if (error instanceof ProtocolError && !mayPass(error)) return null;
      throw error;
    }
  }
}
