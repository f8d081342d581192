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
import { webhookSecret } from '#src/domain/webhooks/sign.ts';

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
  /** Secret that receivers verify webhooks with: of a project for its callbacks, or under the name of a webhook's secret. */
  readonly webhookSecretOf: (name: string) => string;
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
  // Machines that share SECRETS_KEY sign with the same secret.
  const signingKey = (key: Buffer): Buffer => createHmac('sha256', key).update('webhooks').digest();
  const key = config.secretsKey === null ? data.derive('webhooks') : signingKey(config.secretsKey);
  const keys = [key, ...config.secretsKeysPrevious.map(signingKey)];
  const webhookSecretOf = (name: string): string => webhookSecret(key, name);
  const secretsOf = (name: string): readonly string[] => keys.map((one) => webhookSecret(one, name));
  const senderParts: DeliverySenderParts = {
    deliveries,
    outbound: anyPublic,
    secretsOf,
    targetOf: createWebhookTargets({ ...stores, secretsOf }),
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
    webhookSecretOf,
  };
}

/** `host:port`. */
export function hostOf(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  return `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`;
}
