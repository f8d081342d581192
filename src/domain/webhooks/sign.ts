import { createHmac } from 'node:crypto';

/** The project's signing secret as receivers are told it: `whsec_` and 32 bytes in base64, derived from one key of the installation. */
export function webhookSecret(key: Buffer, projectId: string): string {
  return `whsec_${createHmac('sha256', key).update(`webhook ${projectId}`).digest('base64')}`;
}

export interface WebhookMessage {
  /** The same at every attempt: what receivers tell repetitions by. */
  readonly id: string;
  /** Of this attempt. */
  readonly at: Date;
  /** The body, byte for byte. */
  readonly payload: string;
}

/** Headers that prove where a webhook comes from. `secret` as `webhookSecret` gives it. Source: standardwebhooks.com, "Signature scheme". */
export function webhookHeaders(secret: string, { id, at, payload }: WebhookMessage): Record<string, string> {
  const seconds = String(Math.floor(at.getTime() / 1_000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${payload}`).digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signature}`,
  };
}
