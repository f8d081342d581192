import {
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
  SUBSCRIPTION_ID_META_KEY,
  type ClientCapabilities,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import { callerOf, type McpCaller } from '#mcp/caller.ts';
import { lacksTasks } from '#mcp/tasks/serve.ts';
import type { Task, TaskAsker, Tasks } from '#mcp/tasks/tasks.ts';
import { detailedTask, hasTasks } from '#mcp/tasks/wire.ts';

type Fetch = McpHttpHandler['fetch'];

/** Of one stream. Ids beyond are not agreed to. */
const tasksMax = 50;
const streamsMax = 1_024;
const keepAliveMs = 15_000;
const sse = new TextEncoder();

interface Listen {
  readonly id: string | number;
  readonly params: {
    readonly notifications: Readonly<Record<string, unknown>> & { readonly taskIds: readonly string[] };
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

/** A request for a stream that names tasks; null for all others, which the SDK knows how to answer. */
function asListen(body: unknown): Listen | null {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { notifications?: { taskIds?: unknown } } };
  const ids = params?.notifications?.taskIds;
  const named = method === 'subscriptions/listen' && Array.isArray(ids) && ids.every((id) => typeof id === 'string');
  return named ? (body as Listen) : null;
}

function frame(message: object): Uint8Array {
  return sse.encode(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
}

/** The message of a frame of the SDK; null for its comments. */
function messageIn(chunk: Uint8Array): { method?: string; params?: Record<string, unknown>; result?: unknown } | null {
  const data = /^data: (.*)$/m.exec(new TextDecoder().decode(chunk))?.[1];
  return data === undefined ? null : (JSON.parse(data) as object);
}

interface Stream {
  readonly listen: Listen;
  readonly asker: TaskAsker;
  /** What the SDK answers to the rest of the request. */
  readonly inner: ReadableStreamDefaultReader<Uint8Array>;
}

/** What goes to the client, until one side ends it. */
class OutStream {
  readonly #id: Listen['id'];
  readonly #controller: ReadableStreamDefaultController<Uint8Array>;
  readonly readable: ReadableStream<Uint8Array>;
  /** Called once, when it is over. */
  readonly stops: (() => void)[] = [];
  #isOpen = true;

  constructor(id: Listen['id'], cancelInner: () => Promise<void>) {
    this.#id = id;
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    this.readable = new ReadableStream({
      start: (own) => void (controller = own),
      cancel: () => this.#finish(),
    });
    if (controller === undefined) throw new Error('a stream starts at once');
    this.#controller = controller;
    const alive = setInterval(() => this.send(sse.encode(': keepalive\n\n')), keepAliveMs).unref();
    this.stops.push(() => {
      clearInterval(alive);
      cancelInner().catch(() => undefined);
    });
  }

  send(chunk: Uint8Array): void {
    if (this.#isOpen) this.#controller.enqueue(chunk);
  }

  notify(method: string, params: object): void {
    this.send(frame({ method, params: { ...params, _meta: this.#meta } }));
  }

  /** Tells the client that nothing more comes. */
  end(): void {
    this.send(frame({ id: this.#id, result: { resultType: 'complete', _meta: this.#meta } }));
    this.leave();
  }

  /** The client is gone. */
  leave(): void {
    if (!this.#isOpen) return;
    this.#finish();
    this.#controller.close();
  }

  get #meta() {
    return { [SUBSCRIPTION_ID_META_KEY]: this.#id };
  }

  #finish(): void {
    this.#isOpen = false;
    for (const stop of this.stops.splice(0)) stop();
  }
}

/** What the SDK sends, but its word of the end. */
async function pass(inner: Stream['inner'], out: OutStream): Promise<void> {
  try {
    for (let read = await inner.read(); !read.done; read = await inner.read())
      if (messageIn(read.value)?.result === undefined) out.send(read.value);
  } catch {
    // It broke off, which is its end too.
  }
}

/**
 * `notifications/tasks` on the streams of `subscriptions/listen`, which the SDK does not know: it answers the rest of the request,
 * and what it sends passes through. A task is told as `tasks/get` tells it at that moment, first when the stream opens, then when it
 * changed. Source: SEP-2663, "Task Status Notifications".
 */
export class TaskStreams {
  readonly #tasks: Tasks;
  readonly #admits: (caller: McpCaller) => boolean;
  readonly #open = new Set<() => void>();

  /** `admits`: whether the caller's connection has tasks at all. */
  constructor(tasks: Tasks, admits: (caller: McpCaller) => boolean) {
    this.#tasks = tasks;
    this.#admits = admits;
  }

  over(fetch: Fetch): Fetch {
    if (this.#tasks.watch === undefined) return fetch;
    return async (request, options) => {
      const listen = asListen(options?.parsedBody);
      if (listen === null) return fetch(request, options);
      const { notifications, ...params } = listen.params;
      const { taskIds: _, ...others } = notifications;
      const response = await fetch(request, {
        ...options,
        parsedBody: { ...listen, params: { ...params, notifications: others } },
      });
      const streams = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
      if (!streams || response.body === null) return response;
      const inner = response.body.getReader();
      const capabilities = (params._meta?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
      if (!hasTasks(capabilities)) {
        await inner.cancel();
        const { code, message, data } = lacksTasks();
        return Response.json({ jsonrpc: '2.0', id: listen.id, error: { code, message, data } }, { status: 400 });
      }
      const asker = { caller: callerOf(options?.authInfo), capabilities, signal: request.signal };
      return new Response(await this.#stream({ listen, asker, inner }), { headers: response.headers });
    };
  }

  close(): void {
    for (const end of this.#open) end();
  }

  /** The ids that the caller may hear of, each once. */
  async #agreed({ listen, asker }: Stream): Promise<readonly string[]> {
    if (!this.#admits(asker.caller) || this.#open.size >= streamsMax) return [];
    const ids = [...new Set(listen.params.notifications.taskIds)].slice(0, tasksMax);
    const found = await Promise.all(ids.map((id) => this.#read(id, asker)));
    return ids.filter((_, index) => found[index] !== null);
  }

  async #stream(stream: Stream): Promise<ReadableStream<Uint8Array>> {
    const { listen, asker, inner } = stream;
    const taskIds = await this.#agreed(stream);
    const { value } = await inner.read();
    const honored = value === undefined ? {} : (messageIn(value)?.params?.['notifications'] as object);
    const notifications = taskIds.length === 0 ? honored : { ...honored, taskIds };
    const out = new OutStream(listen.id, () => inner.cancel());
    const leave = (): void => out.leave();
    const end = (): void => out.end();
    this.#open.add(end);
    asker.signal.addEventListener('abort', leave, { once: true });
    out.stops.push(() => {
      this.#open.delete(end);
      asker.signal.removeEventListener('abort', leave);
    });
    out.notify('notifications/subscriptions/acknowledged', { notifications });
    for (const taskId of taskIds) this.#follow(taskId, asker, out);
    // Where only tasks were asked for the SDK has nothing more to tell.
    void pass(inner, out).finally(taskIds.length === 0 ? end : () => undefined);
    if (asker.signal.aborted) leave();
    return out.readable;
  }

  /** Tells a task now and whenever it is another than last time; one reading at a time. */
  #follow(taskId: string, asker: TaskAsker, out: OutStream): void {
    let last: string | null = null;
    let reading = false;
    let stale = false;
    const look = async (): Promise<void> => {
      stale = true;
      if (reading) return;
      reading = true;
      while (stale) {
        stale = false;
        const task = await this.#read(taskId, asker);
        const told = task === null ? null : detailedTask(task);
        const text = JSON.stringify(told);
        if (told !== null && text !== last) out.notify('notifications/tasks', told);
        last = text;
      }
      reading = false;
    };
    // The client is to come again when its tasks cannot be read.
    const changed = (): void => void look().catch(() => out.end());
    const stop = this.#tasks.watch?.(taskId, asker, changed);
    if (stop !== undefined) out.stops.push(stop);
    changed();
  }

  /** What cannot be told is left out; the next change is another chance. */
  async #read(taskId: string, asker: TaskAsker): Promise<Task | null> {
    try {
      return await this.#tasks.get(taskId, asker);
    } catch (error) {
      if (error instanceof ProtocolError) return null;
      throw error;
    }
  }
}
