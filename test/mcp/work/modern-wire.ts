import { readEvents } from '#test/mcp/work/read-events.ts';

export const tasksDeclared = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
export const formDeclared = { elicitation: { form: {} } };

export interface Wire {
  readonly url: URL;
  readonly secret: string;
}

interface WireRequest {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly capabilities?: object;
  readonly meta?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

let requests = 0;

/** A request of 2026-07-28 as it goes over the wire: the client of the SDK knows neither tasks nor raw questions. */
export function send({ url, secret }: Wire, request: WireRequest): Promise<Response> {
  const { method, params = {}, capabilities = {}, meta = {}, headers = {}, signal } = request;
  requests += 1;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...meta,
  };
  const name = params['name'] ?? params['taskId'];
  return fetch(url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      authorization: `Bearer ${secret}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: requests, method, params: { ...params, _meta } }),
    ...(signal !== undefined && { signal }),
  });
}

export interface Reply {
  readonly status: number;
  readonly result: any;
  readonly error: any;
  /** Messages before the answer. */
  readonly notifications: any[];
}

export async function ask(wire: Wire, request: WireRequest): Promise<Reply> {
  const response = await send(wire, request);
  const messages: any[] = [];
  if (response.headers.get('content-type')?.startsWith('text/event-stream') === true)
    for await (const message of readEvents(response)) messages.push(message);
  else messages.push(await response.json());
  const last = messages.pop();
  return { status: response.status, result: last.result, error: last.error, notifications: messages };
}

/** `tools/call`, with what the client can do and whatever else belongs into the request. */
export function callTool(
  wire: Wire,
  name: string,
  input: object,
  { capabilities = {}, ...more }: { readonly capabilities?: object; readonly [param: string]: unknown } = {},
): Promise<Reply> {
  return ask(wire, { method: 'tools/call', params: { name, arguments: input, ...more }, capabilities });
}
