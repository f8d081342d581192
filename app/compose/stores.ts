import { createApiKeyStore } from '#src/stores/api-keys.ts';
import { createAuditLog } from '#src/stores/audit-log.ts';
import { createConversationStore } from '#src/stores/conversations.ts';
import { createDocumentStore } from '#src/stores/documents.ts';
import { createEventLog } from '#src/stores/event-log.ts';
import { createDatasetStore } from '#src/stores/experiments/dataset-store.ts';
import { createExperimentStore } from '#src/stores/experiments/experiment-store.ts';
import { createExecutionStore } from '#src/stores/executions.ts';
import { createGroundingTexts } from '#src/stores/grounding-texts.ts';
import { createIdempotencyStore } from '#src/stores/idempotency.ts';
import { createCorrectionStore } from '#src/stores/operators/corrections.ts';
import { createTrashStore } from '#src/stores/operators/trash.ts';
import { createStatisticsStore } from '#src/stores/operators/statistics.ts';
import { createViewStore } from '#src/stores/operators/views.ts';
import { createOAuthStore } from '#src/stores/oauth.ts';
import { createOrganizationStore } from '#src/stores/organizations.ts';
import { createRecordStore } from '#src/stores/records/record-store.ts';
import { createRecordTypeStore } from '#src/stores/records/record-types.ts';
import { createResultStore } from '#src/stores/results.ts';
import { createSecretStore, type SecretKeys } from '#src/stores/secrets.ts';
import { createStepStore } from '#src/stores/steps.ts';
import { createUploadStore } from '#src/stores/uploads.ts';
import { createUsageStore } from '#src/stores/usage.ts';
import { createWebhookStore } from '#src/stores/webhooks/webhook-store.ts';
import { createWorkflowStore } from '#src/stores/workflows.ts';
import { announcedRecords } from '#app/compose/announced-records.ts';
import type { Data } from '#app/compose/data.ts';
import type { Siblings } from '#app/compose/processes/siblings.ts';
import type { Config } from '#src/config/config.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { ToolDeps } from '#tools/deps.ts';

/** Keys that seal and open secrets of projects. `derived` is the installation's own, for the use `secrets`. */
export function secretKeysOf(
  { secretsKey, secretsKeysPrevious: previous }: Pick<Config, 'secretsKey' | 'secretsKeysPrevious'>,
  derived: Buffer,
): SecretKeys {
  // An installation that sets its first SECRETS_KEY has secrets under the key of its data folder.
  if (secretsKey === null) return { current: derived, previous };
  return { current: secretsKey, previous: [...previous, derived] };
}

/** Database stores, except those of search and people. */
export function createStores(
  config: Config,
  data: Data,
  { siblings, logger }: { readonly siblings: Siblings; readonly logger: Logger },
) {
  const { collections, database } = data;
  const events = createEventLog(collections, {
    forward: (stored) => siblings.tellEvents(stored),
    lookMs: (usualMs) => siblings.lookMs(usualMs),
  });
  siblings.onEvents((stored) => events.receive(stored));
  siblings.onStored((organizationId, range) => events.storedElsewhere(organizationId, range));
  const secretKeys = secretKeysOf(config, data.derive('secrets'));
  return {
    apiKeys: createApiKeyStore(collections),
    organizations: createOrganizationStore(collections),
    conversations: createConversationStore(database.client, collections),
    groundingTexts: createGroundingTexts(collections),
    uploads: createUploadStore(collections),
    usage: createUsageStore(collections, config.quotas),
    documents: createDocumentStore(collections),
    workflows: createWorkflowStore(collections),
    datasets: createDatasetStore(collections),
    experiments: createExperimentStore(collections),
    recordTypes: createRecordTypeStore(collections),
    records: announcedRecords(createRecordStore(collections), events, logger),
    executions: createExecutionStore(database.client, collections),
    steps: createStepStore(collections),
    corrections: createCorrectionStore(collections),
    trash: createTrashStore(collections),
    statistics: createStatisticsStore(collections),
    views: createViewStore(collections),
    webhooks: createWebhookStore(collections),
    results: createResultStore(database.client, collections),
    idempotency: createIdempotencyStore(collections),
    oauth: createOAuthStore(collections),
    events,
    audit: createAuditLog(collections, (error) =>
      logger.warn({ err: error }, 'a count for the audit log could not be stored'),
    ),
    secrets: createSecretStore(collections, secretKeys),
  } satisfies Partial<ToolDeps>;
}
