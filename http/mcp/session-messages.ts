import type { McpRequestOptions } from '#mcp/server/server-factory.ts';
import type { Hello } from '#http/mcp/session-ids.ts';

interface Message {
  readonly method?: unknown;
  readonly params?: { readonly [name: string]: unknown } | null;
}

/** A request with its parsed body, as the SDK takes it. */
interface Again {
  readonly request: Request;
  readonly options: McpRequestOptions;
}

/** Bounds of what is stored for a session. The server admits no more resources, and none with a longer address. */
const most = { uris: 100, characters: 300 };

const messagesOf = (body: unknown): readonly (Message | null | undefined)[] =>
  (Array.isArray(body) ? body : [body]) as readonly (Message | null | undefined)[];

/** The `initialize` of a body; null without one. */
export function helloIn(body: unknown): Hello | null {
  const found = messagesOf(body).find((message) => message?.method === 'initialize');
  if (found === undefined) return null;
  const { protocolVersion, capabilities } = found?.params ?? {};
  return {
    protocolVersion: typeof protocolVersion === 'string' ? protocolVersion : '',
    capabilities: typeof capabilities === 'object' && capabilities !== null ? { ...capabilities } : {},
  };
}

/** The resources that a session has subscribed to after these messages; null if they say nothing about it. */
export function urisAfter(body: unknown, before: readonly string[]): readonly string[] | null {
  let uris = before;
  for (const message of messagesOf(body)) {
    const uri = message?.params?.['uri'];
    if (typeof uri !== 'string' || uri.length > most.characters) continue;
    const others = uris.filter((one) => one !== uri);
    if (message?.method === 'resources/unsubscribe') uris = others;
    if (message?.method === 'resources/subscribe') uris = [...others, uri].slice(0, most.uris);
  }
  return uris === before ? null : uris;
}

function again({ request, options }: Again, message: object, headers: Readonly<Record<string, string>> = {}): Again {
  const sent = { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers };
  return {
    request: new Request(request.url, { method: 'POST', headers: sent }),
    options: { ...options, parsedBody: { jsonrpc: '2.0', id: 'again', ...message } },
  };
}

/** The handshake of a session that began in another process. */
export function initializeAgain(from: Again, { protocolVersion, capabilities }: Hello): Again {
  const clientInfo = { name: 'unknown', version: '0' };
  return again(from, { method: 'initialize', params: { protocolVersion, capabilities, clientInfo } });
}

/** A subscription of a session that began in another process. */
export function subscribeAgain(from: Again, { id, uri }: { readonly id: string; readonly uri: string }): Again {
  return again(from, { method: 'resources/subscribe', params: { uri } }, { 'mcp-session-id': id });
}
