import { createHmac } from 'node:crypto';
import { createDeliveryStore, type DeliveryStore } from '#src/stores/deliveries.ts';
import { createChat, type ModelsConfig } from '#src/adapters/models/create-models.ts';
import { createOutbound } from '#src/adapters/outbound/create-outbound.ts';
import { createTracedOutbound } from '#src/adapters/outbound/traced-outbound.ts';
import type { Policy } from '#src/adapters/outbound/target.ts';
import { noTracer } from '#src/domain/traces/no-tracer.ts';
import type { Tracer } from '#src/domain/ports/tracer.ts';
import { createSegmenters } from '#src/adapters/segmentation/create-segmenters.ts';
import { createWebhookTargets } from '#app/agents/webhooks/webhook-targets.ts';
import type { AuditLog } from '#src/stores/audit-log.ts';
import type { WebhookStore } from '#src/stores/webhooks/webhook-store.ts';
import { createDeliverySender, type DeliverySenderParts } from '#app/agents/delivery-sender.ts';
import type { Scarce } from '#app/compose/processes/scarce.ts';
import type { Data } from '#app/compose/data.ts';
import type { Config } from '#src/config/config.ts';
import type { ChatModel } from '#src/domain/ports/chat-model.ts';
import type { ImageCodec } from '#src/domain/ports/image-codec.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { Outbound } from '#src/domain/ports/outbound.ts';
import type { Segmenters } from '#src/domain/ports/segmenter.ts';
import { createSigningKeys, type SigningKeys } from '#src/domain/webhooks/signing-keys.ts';

/** Outbound calls of this installation: of nodes, models and webhooks. */
export interface Outside {
  /** HTTP client for the `http` node: hosts that the operator listed only. */
  readonly listed: Outbound;
  /** HTTP client for webhooks: any public https address too. */
  readonly anyPublic: Outbound;
  readonly chat: ChatModel;
  readonly segmenters: Segmenters;
  readonly deliveries: DeliveryStore;
  readonly sender: ReturnType<typeof createDeliverySender>;
  /** Secrets that receivers verify webhooks with: of projects for their callbacks, and of webhooks under the names of their secrets. */
  readonly signing: SigningKeys;
}

interface OutsideParts {
  readonly stores: { readonly webhooks: WebhookStore; readonly audit: AuditLog };
  readonly config: Config;
  readonly data: Data;
  readonly images: ImageCodec;
  readonly openai: Pick<ModelsConfig, 'openai'>;
  readonly scarce: Pick<Scarce, 'fairness'>;
  readonly logger: Logger;
  readonly tracer: Tracer;
}

/**
 * Keys that sign webhooks. `derived` is the installation's own, for the use `webhooks`: receivers have secrets of it from the time before
 * the first SECRETS_KEY.
 */
function signingKeysOf({ secretsKey, secretsKeysPrevious }: Config, derived: Buffer): SigningKeys {
  // Machines that share SECRETS_KEY sign with the same secret.
  const signingKey = (key: Buffer): Buffer => createHmac('sha256', key).update('webhooks').digest();
  const previous = secretsKeysPrevious.map(signingKey);
  return secretsKey === null
    ? createSigningKeys(derived, previous)
    : createSigningKeys(signingKey(secretsKey), [...previous, derived]);
}

/** Client for the addresses of a policy, whose calls are traced. */
function clientOf(policy: Policy, tracer: Tracer): Outbound {
  const outbound = createOutbound(policy);
  return tracer === noTracer ? outbound : createTracedOutbound(outbound, policy, tracer);
}

export function createOutside(parts: OutsideParts, stack: AsyncDisposableStack): Outside {
  const { config, data, images, openai, scarce, logger, tracer, stores } = parts;
  const allow = config.outboundAllow;
  const anyPublic = clientOf({ allow, mode: 'public' }, tracer);
  const remote = config.segmentation && { ...config.segmentation, timeoutMs: 60_000 };
  const deliveries = createDeliveryStore(data.collections);
  const signing = signingKeysOf(config, data.derive('webhooks'));
  const senderParts: DeliverySenderParts = {
    deliveries,
    outbound: anyPublic,
    secretsOf: signing.secretsOf,
    targetOf: createWebhookTargets({ ...stores, signing }),
    logger,
    tracer,
    leaseMs: 60_000,
  };
  const sender = createDeliverySender(senderParts);
  stack.defer(() => sender.stop());
  return {
    listed: clientOf({ allow, mode: 'listed' }, tracer),
    anyPublic,
    chat: createChat(openai),
    segmenters: createSegmenters({
      images,
      fairness: scarce.fairness,
      // The operator's settings name this host. Addresses in its answers are checked like any public address.
      outbound:
        remote === null ? anyPublic : clientOf({ allow, mode: 'public', trusted: [hostOf(remote.url)] }, tracer),
      remote,
    }),
    deliveries,
    sender,
    signing,
  };
}

/** `host:port`. */
export function hostOf(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  return `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`;
}
