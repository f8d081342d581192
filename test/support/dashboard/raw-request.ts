import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string;
}

/** One request with headers that `fetch` keeps to itself, such as Host. */
export async function rawRequest(
  address: URL,
  { method, headers, body }: Sent,
): Promise<{ status: number; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const sent = request(address, { method, headers: { ...type, ...headers } });
  sent.once('response', resolve).once('error', reject);
  sent.end(body);
  const response = await promise;
  return { status: response.statusCode ?? 0, body: await text(response) };
}
