import { createApiKeyStore } from '#src/adapters/database/api-keys.ts';
import { createAuditLog } from '#src/adapters/database/audit-log.ts';
import { createConversationStore } from '#src/adapters/database/conversations.ts';
import { createDocumentStore } from '#src/adapters/database/documents.ts';
import { createEventLog } from '#src/adapters/database/event-log.ts';
import { createExecutionStore } from '#src/adapters/database/executions.ts';
import { createGroundingTexts } from '#src/adapters/database/grounding-texts.ts';
import { createIdempotencyStore } from '#src/adapters/database/idempotency.ts';
import { createOAuthStore } from '#src/adapters/database/oauth.ts';
import { createOrganizationStore } from '#src/adapters/database/organizations.ts';
import { createResultStore } from '#src/adapters/database/results.ts';
import { createSecretStore } from '#src/adapters/database/secrets.ts';
import { createStepStore } from '#src/adapters/database/steps.ts';
import { createUploadStore } from '#src/adapters/database/uploads.ts';
import { createWorkflowStore } from '#src/adapters/database/workflows.ts';
import type { Data } from '#src/compose/data.ts';
import type { Config } from '#src/config/config.ts';
import type { ToolDeps } from '#tools/deps.ts';

/** What is kept in the database, but for search and people. */
export function createStores({ secretsKey }: Config, data: Data) {
  const { collections, database } = data;
  return {
    apiKeys: createApiKeyStore(collections),
    organizations: createOrganizationStore(collections),
    conversations: createConversationStore(collections),
    groundingTexts: createGroundingTexts(collections),
    uploads: createUploadStore(collections),
    documents: createDocumentStore(collections),
    workflows: createWorkflowStore(collections),
    executions: createExecutionStore(database.client, collections),
    steps: createStepStore(collections),
    results: createResultStore(collections),
    idempotency: createIdempotencyStore(collections),
    oauth: createOAuthStore(collections),
    events: createEventLog(collections),
    audit: createAuditLog(collections),
    secrets: createSecretStore(collections, secretsKey ?? data.derive('secrets')),
  } satisfies Partial<ToolDeps>;
}
