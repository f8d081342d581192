import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Target } from '#src/adapters/outbound/target.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { OutboundAnswer, OutboundRequest } from '#src/domain/ports/outbound.ts';

/** Headers that the connection itself sets. */
const ownHeaders =
  /^(host|connection|content-length|transfer-encoding|accept-encoding|expect|keep-alive|te|trailer|upgrade|proxy-.*)$/i;

/** Throws `outbound.refused` for a header that callers may not set or that cannot be sent. The error does not contain its value. */
export function checkHeaders(headers: OutboundRequest['headers']): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/.test(name) || ownHeaders.test(name))
      throw new AppError('outbound.refused', `Header ${JSON.stringify(name.slice(0, 100))} cannot be set.`);
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new AppError(
        'outbound.refused',
        `The value of header "${name}" has characters that a header cannot carry.`,
      );
  }
}

function tooLarge(maxBytes: number): AppError {
  const detail = `The outside service answered with more than ${maxBytes} bytes.`;
  return new AppError('outbound.failed', detail, { reason: 'request_unfit' });
}

async function readBody(message: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of message as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Sends one request with checked headers over an open connection, which cannot be used again. Calls `headersInTime` when the response begins. */
export async function exchange(
  socket: Socket,
  target: Target,
  request: OutboundRequest,
  headersInTime: () => void,
): Promise<OutboundAnswer> {
  const sent = httpRequest({
    createConnection: () => socket,
    method: request.method,
    path: target.path,
    setHost: false,
    headers: {
      'user-agent': 'inkgraph',
      ...request.headers,
      host: target.authority,
      connection: 'close',
      // The limit counts bytes as they arrive, so compressed responses are refused.
      'accept-encoding': 'identity',
      ...(request.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(request.body)) }),
    },
  });
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.on('error', reject);
    sent.end(request.body);
  });
  headersInTime();
  const encoding = message.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity')
    throw new AppError(
      'outbound.failed',
      'The outside service sent a compressed response although the request forbids it.',
    );
  const body = await readBody(message, request.maxBytes);
  const headers = Object.entries(message.headers).map(([name, value]) => [name, [value].flat().join(', ')] as const);
  return { status: message.statusCode ?? 0, headers: Object.fromEntries(headers), body };
}
