/** Body of a webhook. Later versions add members. */
export interface WebhookEvent {
  readonly type: string;
  readonly timestamp: string;
  readonly [name: string]: unknown;
}

/** A webhook that nobody with the secret has signed, or that is too old. Respond with 400. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

type HeaderBag = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

function headerOf(headers: HeaderBag, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '')
    throw new WebhookError(`The header ${name} is missing: this is no webhook of Inkgraph.`);
  return value;
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array(0);
  }
};

/**
 * Checks the signature and the age of a webhook, and returns its body. `body` is the text or the bytes as they came: parsing it before
 * changes it. `secret` is that of a webhook of the project, or of callbacks what `npm run secrets -- webhook-secret` prints. Throws `WebhookError`. Source: standardwebhooks.com.
 */
export async function verifyWebhook(
  headers: HeaderBag,
  body: string | Uint8Array,
  secret: string,
  { toleranceSeconds = 300, now = new Date() }: { toleranceSeconds?: number; now?: Date } = {},
): Promise<WebhookEvent> {
  const key = bytesOf(secret.replace(/^whsec_/, ''));
  if (key.length === 0) throw new WebhookError('The secret is not base64: give whsec_... as it was printed.');
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((part) =>
    headerOf(headers, `webhook-${part}`),
  );
  if (!(Math.abs(now.getTime() / 1_000 - Number(timestamp)) <= toleranceSeconds))
    throw new WebhookError(
      `The webhook is of another time than now, by over ${toleranceSeconds} seconds: check the clock.`,
    );
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const hmac = await crypto.subtle.importKey('raw', key, algorithm, false, ['verify']);
  // During a rotation there are two signatures. `verify` compares in constant time.
  for (const [version, signature = ''] of (signatures ?? '').split(' ').map((one) => one.split(',')))
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', hmac, bytesOf(signature), signed)))
      return JSON.parse(text) as WebhookEvent;
  throw new WebhookError('The signature does not fit: check the secret, and that the body is not parsed before.');
}
