import { pause, request, type AnyInput, type AnyRow, type CallOptions, type Connection } from './request.ts';

/** One server-sent event. */
export interface StreamEvent<Data> {
  /** Give it as `lastEventId` to go on behind it. */
  readonly id: string;
  readonly event: string;
  readonly data: Data;
}

export interface EventOptions extends CallOptions {
  /** Id of the last event that was seen. */
  readonly lastEventId?: string;
}

/** Reads server-sent events from the text of a stream, in any pieces. Source: the HTML standard, "Interpreting an event stream". */
export class EventReader {
  #rest = '';
  #id = '';
  #event = '';
  #data: string[] = [];

  /** Events that are whole after this piece. */
  read(piece: string): StreamEvent<string>[] {
    const text = this.#rest + piece;
    // A carriage return at the end may be half of a line end.
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
    const lines = whole.split(/\r\n|\n|\r/);
    this.#rest = (lines.pop() ?? '') + text.slice(whole.length);
    return lines.flatMap((line) => this.#take(line));
  }

  #take(line: string): StreamEvent<string>[] {
    if (line === '') return this.#dispatch();
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#event = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    return [];
  }

  #dispatch(): StreamEvent<string>[] {
    const event = { id: this.#id, event: this.#event === '' ? 'message' : this.#event, data: this.#data.join('\n') };
    const isEmpty = this.#data.length === 0;
    this.#event = '';
    this.#data = [];
    return isEmpty ? [] : [event];
  }
}

async function* eventsOf(response: Response): AsyncGenerator<StreamEvent<string>, void, undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const [decoder, events] = [new TextDecoder(), new EventReader()];
  try {
    for (;;) {
      const { done, value } = (await reader.read()) as { done: boolean; value?: Uint8Array };
      if (done) return;
      yield* events.read(decoder.decode(value, { stream: true }));
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

const reconnectMs = 500;

/**
 * Follows a stream to its last event, `execution.completed`. A connection that breaks is opened again behind the last event. Throws
 * `Problem` when the server refuses or stays away.
 */
export async function* follow<Data extends { readonly type: string }>(
  connection: Connection,
  row: AnyRow,
  input: AnyInput,
  { signal, lastEventId = '' }: EventOptions = {},
): AsyncGenerator<StreamEvent<Data>, void, undefined> {
  let last = lastEventId;
  for (;;) {
    const headers = { accept: 'text/event-stream', ...(last !== '' && { 'last-event-id': last }) };
    const response = await request(connection, row, input, { signal, headers });
    if (response.status === 204) return;
    try {
      for await (const { id, event, data } of eventsOf(response)) {
        last = id;
        const parsed = JSON.parse(data) as Data;
        yield { id, event, data: parsed };
        if (parsed.type === 'execution.completed') return;
      }
    } catch (error) {
      // A broken connection is a TypeError; errors of the caller's loop do not come here.
      if (signal?.aborted === true || !(error instanceof TypeError)) throw error;
    }
    await pause(reconnectMs, signal);
  }
}
