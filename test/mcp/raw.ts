import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Listener } from '#test/mcp/listener.ts';

const both = 'application/json, text/event-stream';

export interface RawReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON of the body, or of its only event. */
  readonly json: Record<string, unknown>;
}

function jsonOf(body: string): Record<string, unknown> {
  const data = /^data: (.+)$/m.exec(body)?.[1] ?? body;
  try {
    return JSON.parse(data) as Record<string, unknown>;
  } catch {
    return { notJson: body };
  }
}

/** One POST as a client would send it, headers replaceable; null takes one away. */
export async function post(
  at: Pick<Listener, 'url'>,
  body: unknown,
  headers: Readonly<Record<string, string | null>> = {},
): Promise<RawReply> {
  const all: Record<string, string | null> = { accept: both, 'content-type': 'application/json', ...headers };
  const kept = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
  const response = await fetch(at.url, {
    method: 'POST',
    headers: kept,
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
  });
  const answer = await response.text();
  return { status: response.status, headers: response.headers, text: answer, json: jsonOf(answer) };
}

/** Bytes on the wire, for what fetch refuses to send; the server ends the connection. */
export async function onTheWire(port: number, lines: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end(`${lines.join('\r\n')}\r\n\r\n`);
  return text(socket);
}

export const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});

export const callOf = (name: string, input: object = {}, id = 2) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input },
});

/** The same call as a client of 2026-07-28 sends it: envelope in the body, standard headers beside it. */
export function modern(name: string, input: object = {}) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return {
    body: { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name, arguments: input, _meta } },
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name },
  };
}
