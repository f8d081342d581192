import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Outbound } from '#src/domain/ports/outbound.ts';
import { AppError } from '#src/domain/app-error.ts';

export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export interface Service extends AsyncDisposable {
  readonly url: string;
  readonly seen: Asked[];
}

/** A local segmentation service; replies are used in order, the last one again and again. */
export async function startService(
  ...replies: readonly (Reply | object | ((asked: Asked) => Reply))[]
): Promise<Service> {
  const seen: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      const asked = { method: request.method ?? '', url, headers: request.headers, body: Buffer.concat(chunks) };
      const chosen = replies[Math.min(seen.push(asked) - 1, replies.length - 1)] ?? {};
      const reply = typeof chosen === 'function' ? chosen(asked) : chosen;
      const { status = 200, headers = {}, body = JSON.stringify(reply) } = reply as Partial<Reply>;
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/images/segmentations`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** Calls out with fetch to the named hosts only, and notes every address. */
export function outboundTo(...hosts: readonly string[]): Outbound & { readonly asked: string[] } {
  const asked: string[] = [];
  const refuses = (url: string): string | null => (hosts.includes(new URL(url).host) ? null : 'not a listed host');
  return {
    asked,
    refuses,
    async send({ url, method, headers, body, maxBytes, timeoutMs, signal }) {
      asked.push(url);
      if (refuses(url) !== null) throw new AppError('outbound.refused', 'This address is not allowed.');
      const limit = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
      try {
        const answer = await fetch(url, {
          method,
          headers,
          signal: limit,
          ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
        });
        const bytes = Buffer.from(await answer.arrayBuffer());
        if (bytes.length > maxBytes) throw new Error('too large');
        return { status: answer.status, headers: Object.fromEntries(answer.headers), body: bytes };
      } catch (error) {
        signal?.throwIfAborted();
        throw new AppError('outbound.failed', 'The call failed.', { cause: error });
      }
    },
  };
}
