import { request } from 'node:http';
import { text } from 'node:stream/consumers';

/** One request with headers that `fetch` keeps to itself, such as Host. */
export async function rawRequest(
  base: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<{ status: number; headers: Readonly<Record<string, string | string[] | undefined>>; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>();
  const sent = request(new URL(path, base), {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
  });
  sent.once('response', resolve).once('error', reject);
  sent.end(body);
  const response = await promise;
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}
