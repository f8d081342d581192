import { createHmac } from 'node:crypto';

/** Signing secret of a project for receivers: `whsec_` and 32 bytes in base64, derived from the key of the installation. */
export function webhookSecret(key: Buffer, projectId: string): string {
  return `whsec_${createHmac('sha256', key).update(`webhook ${projectId}`).digest('base64')}`;
}

export interface WebhookMessage {
  /** Same for every attempt, so that receivers can detect repetitions. */
  readonly id: string;
  /** Time of this attempt. */
  readonly at: Date;
  /** Exact body. */
  readonly payload: string;
}

/** Signature headers of a webhook, with one signature for each secret from `webhookSecret`. Source: standardwebhooks.com, "Signature scheme". */
export function webhookHeaders(
  secrets: readonly string[],
  { id, at, payload }: WebhookMessage,
): Record<string, string> {
  const seconds = String(Math.floor(at.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${payload}`).digest('base64')}`;
  });
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': signatures.join(' '),
  };
}
