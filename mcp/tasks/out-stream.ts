import { SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';
import { EventSourceParserStream } from 'eventsource-parser/stream';

/** A JSON-RPC notification, or the result that ends the stream. */
export interface StreamMessage {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
}

const keepAliveMs = 15_000;
const encoder = new TextEncoder();

/** The messages of a stream of the SDK, one for each frame, however its bytes are cut into chunks. */
export function messagesOf(body: ReadableStream<Uint8Array>): ReadableStreamDefaultReader<StreamMessage> {
  return body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .pipeThrough(
      new TransformStream({
        transform: ({ data }, controller) => controller.enqueue(JSON.parse(data) as StreamMessage),
      }),
    )
    .getReader();
}

/** The stream to the client, until one side ends it. */
export class OutStream {
  readonly #id: string | number;
  readonly #controller: ReadableStreamDefaultController<Uint8Array>;
  readonly readable: ReadableStream<Uint8Array>;
  /** Called once, when the stream is over. */
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
    const alive = setInterval(() => this.#write(': keepalive\n\n'), keepAliveMs).unref();
    this.stops.push(() => {
      clearInterval(alive);
      cancelInner().catch(() => undefined);
    });
  }

  send(message: object): void {
    this.#write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  notify(method: string, params: object): void {
    this.send({ jsonrpc: '2.0', method, params: { ...params, _meta: this.#meta } });
  }

  /** Sends the result of the request, which ends the stream. */
  end(): void {
    this.send({ jsonrpc: '2.0', id: this.#id, result: { resultType: 'complete', _meta: this.#meta } });
    this.leave();
  }

  /** Closes the stream without a result: the client is gone. */
  leave(): void {
    if (!this.#isOpen) return;
    this.#finish();
    this.#controller.close();
  }

  #write(text: string): void {
    if (this.#isOpen) this.#controller.enqueue(encoder.encode(text));
  }

  get #meta() {
    return { [SUBSCRIPTION_ID_META_KEY]: this.#id };
  }

  #finish(): void {
    this.#isOpen = false;
    for (const stop of this.stops.splice(0)) stop();
  }
}

/** Forwards the messages of the SDK except the result, which `OutStream.end` sends. */
export async function forward(inner: ReadableStreamDefaultReader<StreamMessage>, out: OutStream): Promise<void> {
  try {
    for (let read = await inner.read(); !read.done; read = await inner.read())
      if (read.value.result === undefined) out.send(read.value);
  } catch {
    // An aborted stream ends like a finished one.
  }
}
