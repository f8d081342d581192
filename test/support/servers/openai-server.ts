import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as the server saw it. `closed` resolves when its connection is gone or its answer is sent. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  readonly body: any;
  readonly closed: Promise<'answered' | 'broken off'>;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Reaction to a request: answer, never answer, answer the head and never the body's end, break the connection, or break it
 * within a streamed answer.
 */
export type Behaviour =
  | Answer
  | 'hang'
  | 'stall'
  | 'break'
  | 'break stream'
  | 'stall stream'
  | ((request: SeenRequest) => Behaviour);

export interface OpenAiServer extends AsyncDisposable {
  /** With `/v1`. */
  readonly baseUrl: string;
  readonly seen: readonly SeenRequest[];
  /** Resolves with the next request that arrives, or the one at `index`. */
  arrival(index: number): Promise<SeenRequest>;
}

/**
 * A local server that speaks the OpenAI protocol by script: behaviours are used in order, the last one again and again.
 */
export async function startOpenAiServer(script: {
  readonly chat?: readonly Behaviour[];
  readonly embeddings?: readonly Behaviour[];
}): Promise<OpenAiServer> {
  const seen: SeenRequest[] = [];
  const waiting: (() => void)[] = [];
  const used = { chat: 0, embeddings: 0 };

  const server = createServer((request, response) => {
    void readBody(request).then((raw) => {
      const entry: SeenRequest = {
        path: request.url ?? '',
        headers: request.headers,
        raw,
        body: JSON.parse(raw),
        closed: new Promise((resolve) => {
          response.once('close', () => resolve(response.writableFinished ? 'answered' : 'broken off'));
        }),
      };
      seen.push(entry);
      for (const wake of waiting.splice(0)) wake();
      const kind = entry.path.endsWith('/chat/completions') ? 'chat' : 'embeddings';
      const behaviours = script[kind] ?? [];
      const behaviour = behaviours[Math.min(used[kind]++, behaviours.length - 1)];
      act(behaviour ?? { status: 404, body: '{"error":{"message":"unexpected request"}}' }, entry, response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });

  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    seen,
    async arrival(index) {
      for (;;) {
        const entry = seen[index];
        if (entry !== undefined) return entry;
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

function act(behaviour: Behaviour, request: SeenRequest, response: ServerResponse): void {
  if (typeof behaviour === 'function') {
    act(behaviour(request), request, response);
    return;
  }
  if (behaviour === 'hang') return;
  if (behaviour === 'break') {
    response.destroy();
    return;
  }
  if (behaviour === 'stall') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write('{"choices":[');
    return;
  }
  if (behaviour === 'break stream' || behaviour === 'stall stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(brokenStream('The total is 4').body, () => {
      if (behaviour === 'break stream') response.destroy();
    });
    return;
  }
  const { status = 200, headers, body } = behaviour;
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Agents tell messages apart by the id of their completion. */
function completion(message: object, finishReason: string): Answer {
  return {
    body: JSON.stringify({
      id: `chatcmpl-${randomUUID()}`,
      object: 'chat.completion',
      created: 1,
      model: 'served-model',
      choices: [{ index: 0, finish_reason: finishReason, message: { role: 'assistant', ...message } }],
      usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
    }),
  };
}

/** A chat completion whose message is `content`; objects are sent as JSON. 100 tokens in, 20 out. */
export function chatAnswer(content: string | object, finishReason = 'stop'): Answer {
  return completion({ content: typeof content === 'string' ? content : JSON.stringify(content) }, finishReason);
}

/** A chat completion that calls one tool. 100 tokens in, 20 out. */
export function toolAnswer(name: string, input: object, id = 'call_1'): Answer {
  const call = { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
  return completion({ content: null, tool_calls: [call] }, 'tool_calls');
}

/** One embedding; 7 tokens in. */
export function embeddingAnswer(vector: readonly unknown[]): Answer {
  return {
    body: JSON.stringify({
      object: 'list',
      model: 'served-model',
      data: [{ object: 'embedding', index: 0, embedding: vector }],
      usage: { prompt_tokens: 7, total_tokens: 7 },
    }),
  };
}

/** An error in the protocol's shape. */
export const redirectTo = (location: string): Answer => ({ status: 307, headers: { location }, body: '' });

export function errorAnswer(
  status: number,
  message: string,
  more: { code?: string; headers?: Record<string, string> } = {},
): Answer {
  return {
    status,
    headers: more.headers ?? {},
    body: JSON.stringify({ error: { message, type: 'error', param: null, code: more.code ?? null } }),
  };
}

type StreamDelta = Readonly<Record<string, unknown>>;

function streamEvents(deltas: readonly StreamDelta[], finishReason: string | null, usage?: object): string[] {
  const event = (choices: readonly object[], more: object = {}): string =>
    `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'served-model', choices, ...more })}\n\n`;
  return [
    ...deltas.map((delta) => event([{ index: 0, delta, finish_reason: null }])),
    ...(finishReason === null ? [] : [event([{ index: 0, delta: {}, finish_reason: finishReason }])]),
    ...(finishReason === null ? [] : [event([], { usage: usage ?? tokens }), 'data: [DONE]\n\n']),
  ];
}

const tokens = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const eventStream = { 'content-type': 'text/event-stream' };

/** A streamed answer in pieces of a few characters; objects are sent as JSON. 100 tokens in, 20 out, unless `usage` says more. */
export function chatStream(
  content: string | object,
  more: { finishReason?: string; usage?: Readonly<Record<string, unknown>> } = {},
): Answer {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const deltas = (text.match(/[\s\S]{1,12}/g) ?? ['']).map((piece) => ({ content: piece }));
  const events = streamEvents([{ role: 'assistant', content: '' }, ...deltas], more.finishReason ?? 'stop', {
    ...tokens,
    ...more.usage,
  });
  return { headers: eventStream, body: events.join('') };
}

/** A stream that ends, politely, before the answer does. */
export function brokenStream(content: string): Answer {
  return { headers: eventStream, body: streamEvents([{ role: 'assistant', content }], null).join('') };
}

/** A streamed answer that calls tools; `arguments` as text is sent as it is. */
export function toolStream(...calls: readonly { name: string; arguments: string | object }[]): Answer {
  const deltas = calls.flatMap((call, index) => {
    const json = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
    const half = Math.ceil(json.length / 2);
    return [
      { tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name: call.name, arguments: '' } }] },
      { tool_calls: [{ index, function: { arguments: json.slice(0, half) } }] },
      { tool_calls: [{ index, function: { arguments: json.slice(half) } }] },
    ];
  });
  return {
    headers: eventStream,
    body: streamEvents([{ role: 'assistant', content: '' }, ...deltas], 'tool_calls').join(''),
  };
}
