import { SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';

const keepAliveMs = 15_000;
const sse = new TextEncoder();

function frame(message: object): Uint8Array {
  return sse.encode(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
}

/** The message of a frame of the SDK; null for its comments. */
export function messageIn(
  chunk: Uint8Array,
): { method?: string; params?: Record<string, unknown>; result?: unknown } | null {
  const data = /^data: (.*)$/m.exec(new TextDecoder().decode(chunk))?.[1];
  return data === undefined ? null : (JSON.parse(data) as object);
}

/** What goes to the client, until one side ends it. */
export class OutStream {
  readonly #id: string | number;
  readonly #controller: ReadableStreamDefaultController<Uint8Array>;
  readonly readable: ReadableStream<Uint8Array>;
  /** Called once, when it is over. */
  readonly stops: (() => void)[] = [];
  #isOpen = true;

  constructor(id: string | number, cancelInner: () => Promise<void>) {
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
export async function pass(inner: ReadableStreamDefaultReader<Uint8Array>, out: OutStream): Promise<void> {
  try {
    for (let read = await inner.read(); !read.done; read = await inner.read())
      if (messageIn(read.value)?.result === undefined) out.send(read.value);
  } catch {
    // It broke off, which is its end too.
  }
}
