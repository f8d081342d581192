import type { Db, IndexDescription } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';

export type Index = readonly [key: IndexDescription['key'], options?: Omit<IndexDescription, 'key'>];

/** Indexes for every query of the stores (or they use `_id`): test/adapters/database/query-plans.test.ts fails on a collection scan. */
type LibraryCollection = 'sessions' | 'accounts' | 'verifications' | 'twoFactors';
export const indexes: Readonly<Partial<Record<keyof Collections | LibraryCollection, readonly Index[]>>> = {
  // Unique indexes of users and sessions: without them, six concurrent sign-ups create six users.
  users: [[{ email: 1 }, { unique: true }]],
  sessions: [[{ token: 1 }, { unique: true }], [{ userId: 1 }], [{ expiresAt: 1 }, { expireAfterSeconds: 0 }]],
  accounts: [[{ providerId: 1, accountId: 1 }, { unique: true }], [{ userId: 1 }]],
  verifications: [[{ identifier: 1 }], [{ expiresAt: 1 }, { expireAfterSeconds: 0 }]],
  twoFactors: [[{ userId: 1 }, { unique: true }]],
  // Unique: without attestation anybody can register the id of another's credential.
  passkeys: [[{ credentialID: 1 }, { unique: true }], [{ userId: 1, createdAt: 1 }]],
  organizations: [[{ slug: 1 }, { unique: true, sparse: true }]],
  members: [
    [{ organizationId: 1, userId: 1 }, { unique: true }],
    [{ organizationId: 1, role: 1 }],
    [{ organizationId: 1, createdAt: 1 }],
    [{ userId: 1, createdAt: 1 }],
    [{ 'removal.at': 1 }, { sparse: true }],
  ],
  invitations: [
    [{ organizationId: 1, email: 1, status: 1 }],
    [
      { organizationId: 1, email: 1 },
      { unique: true, partialFilterExpression: { status: 'pending' } },
    ],
    [{ organizationId: 1, status: 1, createdAt: -1 }],
    [{ linkHash: 1 }, { sparse: true }],
  ],
  accountMails: [[{ dueAt: 1 }], [{ expiresAt: 1 }, { expireAfterSeconds: 0 }]],
  accountTokens: [[{ email: 1 }], [{ expiresAt: 1 }, { expireAfterSeconds: 0 }]],
  guesses: [[{ forgetAt: 1 }, { expireAfterSeconds: 0 }]],
  conversations: [[{ organizationId: 1, userId: 1, createdAt: -1, _id: -1 }]],
  messages: [
    [{ organizationId: 1, conversationId: 1, createdAt: 1, _id: 1 }],
    [{ organizationId: 1, 'sources.documentId': 1 }],
  ],
  projects: [
    [{ organizationId: 1, createdAt: 1 }],
    [
      { organizationId: 1, nameKey: 1 },
      { unique: true, partialFilterExpression: { nameKey: { $exists: true } } },
    ],
  ],
  apiKeys: [
    [{ hash: 1 }, { unique: true }],
    [{ organizationId: 1, createdAt: -1 }],
    [{ organizationId: 1, projectId: 1, createdAt: -1 }],
    [{ organizationId: 1, agentGraphId: 1 }],
    [{ organizationId: 1, createdBy: 1 }],
  ],
  // No expiry by the database: the sweep deletes the bytes too.
  uploads: [[{ forgetAt: 1 }], [{ organizationId: 1, _id: 1 }]],
  usage: [[{ organizationId: 1 }], [{ scope: 1 }]],
  documents: [
    // Narrow indexes first: among equals the embedded engine uses the first.
    [{ organizationId: 1, apiKeyId: 1, createdAt: -1, _id: -1 }],
    [{ organizationId: 1, projectId: 1, createdAt: -1, _id: -1 }],
    // A list over up to a hundred projects merges their index ranges; the list of an organization with more uses this index.
    [{ organizationId: 1, createdAt: -1, _id: -1 }],
    [{ organizationId: 1, projectId: 1, sha256: 1, createdAt: 1, _id: 1 }],
    // Filters of lists that match few documents, and sorts.
    [{ organizationId: 1, projectId: 1, 'latestRun.status': 1, createdAt: -1, _id: -1 }],
    [
      { organizationId: 1, projectId: 1, 'latestRun.workflowId': 1, createdAt: -1, _id: -1 },
      { partialFilterExpression: { 'latestRun.workflowId': { $exists: true } } },
    ],
    [{ organizationId: 1, projectId: 1, contentType: 1, createdAt: -1, _id: -1 }],
    [{ organizationId: 1, projectId: 1, filename: 1, _id: 1 }],
    [{ organizationId: 1, projectId: 1, sizeBytes: 1, _id: 1 }],
    [{ organizationId: 1, projectId: 1, 'ocr.avgConfidence': 1, _id: 1 }],
    [
      { organizationId: 1, projectId: 1, tags: 1, createdAt: -1, _id: -1 },
      { partialFilterExpression: { tags: { $exists: true } } },
    ],
    [
      { organizationId: 1, duplicateOf: 1, createdAt: 1, _id: 1 },
      { partialFilterExpression: { duplicateOf: { $exists: true } } },
    ],
    [{ 'pendingEvents.ts': 1 }, { sparse: true }],
    [{ 'named.at': 1, _id: 1 }, { partialFilterExpression: { 'named.at': { $exists: true } } }],
    [{ 'corrected.at': 1, _id: 1 }, { partialFilterExpression: { 'corrected.at': { $exists: true } } }],
    [{ 'trash.at': 1 }, { partialFilterExpression: { 'trash.at': { $exists: true } } }],
    [
      { organizationId: 1, projectId: 1, 'trash.at': -1, _id: -1 },
      { partialFilterExpression: { 'trash.at': { $exists: true } } },
    ],
    [{ organizationId: 1, parentDocumentId: 1 }, { partialFilterExpression: { parentDocumentId: { $exists: true } } }],
  ],
  ocrResults: [[{ organizationId: 1, documentId: 1, createdAt: -1 }]],
  ocrPages: [[{ organizationId: 1, documentId: 1, ocrResultId: 1, 'page.index': 1 }]],
  descriptions: [[{ organizationId: 1, documentId: 1, createdAt: -1 }]],
  embeddings: [[{ organizationId: 1, documentId: 1 }]],
  segmentationResults: [[{ organizationId: 1, documentId: 1, createdAt: -1 }]],
  searchRecords: [
    [{ organizationId: 1, identifiers: 1 }],
    [
      { organizationId: 1, projectId: 1, copyKeys: 1, createdAt: 1, _id: 1 },
      { partialFilterExpression: { copyKeys: { $exists: true } } },
    ],
  ],
  workflows: [
    [{ organizationId: 1, projectId: 1, name: 1 }],
    [{ organizationId: 1, projectId: 1, createdAt: -1, _id: -1 }],
    [{ codeName: 1 }],
    [{ updatedAt: 1, _id: 1 }, { partialFilterExpression: { publishedVersion: { $gte: 1 } } }],
  ],
  workflowDrafts: [[{ 'lastEdit.at': 1, _id: 1 }]],
  workflowVersions: [[{ organizationId: 1, workflowId: 1, version: -1 }]],
  workflowEdits: [[{ organizationId: 1, workflowId: 1, revision: 1 }]],
  executions: [[{ createdAt: 1, _id: 1 }, { partialFilterExpression: { callbackPending: true } }]],
  runs: [
    // Queued runs in the order of their claims, and by age; running ones by worker.
    [{ lane: -1, rank: 1 }, { partialFilterExpression: { status: 'queued' } }],
    [{ queuedAt: 1 }, { partialFilterExpression: { status: 'queued' } }],
    [{ owner: 1 }, { partialFilterExpression: { status: 'running' } }],
    // Narrow indexes first, as above.
    [{ organizationId: 1, executionId: 1, createdAt: -1, _id: -1 }],
    [{ organizationId: 1, documentId: 1, createdAt: -1, _id: -1 }],
    [{ organizationId: 1, workflowId: 1, createdAt: -1, _id: -1 }],
    [
      { organizationId: 1, apiKeyId: 1, createdAt: -1, _id: -1 },
      { partialFilterExpression: { apiKeyId: { $exists: true } } },
    ],
    [{ organizationId: 1, projectId: 1, createdAt: -1, _id: -1 }],
    [{ organizationId: 1, projectId: 1, status: 1, createdAt: -1, _id: -1 }],
    [{ finishedAt: 1, _id: 1 }],
    [{ waitingAt: 1, _id: 1 }, { partialFilterExpression: { status: 'waiting' } }],
    // Degraded runs that are to be repeated.
    [{ projectId: 1, mendAt: 1 }, { partialFilterExpression: { mendAt: { $exists: true } } }],
    [
      { 'experiment.hidden': 1, finishedAt: 1, _id: 1 },
      { partialFilterExpression: { 'experiment.hidden': { $exists: true } } },
    ],
    [{ 'draft.whole': 1, finishedAt: 1, _id: 1 }, { partialFilterExpression: { 'draft.whole': { $exists: true } } }],
  ],
  queues: [[{ lane: 1, finish: -1 }]],
  steps: [[{ organizationId: 1, runId: 1 }]],
  idempotency: [[{ forgetAt: 1 }, { expireAfterSeconds: 0 }]],
  events: [
    // `_id` keeps numbers apart, this index events.
    [{ organizationId: 1, ids: 1 }, { unique: true }],
    [{ organizationId: 1, last: 1 }],
    [{ organizationId: 1, executionIds: 1, last: 1 }],
    [{ at: 1 }],
  ],
  audit: [[{ organizationId: 1, at: -1, _id: -1 }], [{ organizationId: 1, action: 1, at: -1, _id: -1 }], [{ at: 1 }]],
  secrets: [[{ organizationId: 1, projectId: 1, name: 1 }]],
  deliveries: [
    [{ dueAt: 1 }, { sparse: true }],
    [{ organizationId: 1, projectId: 1, createdAt: -1 }],
    [{ organizationId: 1, endpointId: 1, createdAt: -1, _id: -1 }],
    [{ organizationId: 1, endpointId: 1, status: 1, createdAt: -1, _id: -1 }],
    [{ createdAt: 1 }],
  ],
  webhooks: [[{ organizationId: 1, projectId: 1, createdAt: -1 }], [{ enabled: 1, organizationId: 1 }]],
  nodeCache: [
    [{ organizationId: 1, documentId: 1 }],
    [{ organizationId: 1, 'others.id': 1 }, { partialFilterExpression: { 'others.id': { $exists: true } } }],
    [{ forgetAt: 1 }, { expireAfterSeconds: 0 }],
  ],
  spentWork: [[{ organizationId: 1, forgetAt: -1 }], [{ forgetAt: 1 }, { expireAfterSeconds: 0 }]],
  datasets: [[{ organizationId: 1, projectId: 1, createdAt: -1, _id: -1 }]],
  datasetVersions: [[{ organizationId: 1, datasetId: 1, generation: 1 }], [{ organizationId: 1, documentIds: 1 }]],
  experiments: [
    [{ organizationId: 1, projectId: 1, createdAt: -1, _id: -1 }],
    [{ organizationId: 1, datasetId: 1, createdAt: -1, _id: -1 }],
    [{ status: 1 }, { partialFilterExpression: { status: 'running' } }],
  ],
  experimentCells: [[{ organizationId: 1, experimentId: 1, documentId: 1 }], [{ organizationId: 1, documentId: 1 }]],
  recordTypes: [[{ organizationId: 1, projectId: 1, name: 1 }]],
  records: [
    [{ organizationId: 1, documentId: 1 }],
    [{ updatedAt: 1, _id: 1 }],
    [{ organizationId: 1, projectId: 1, createdAt: 1, _id: 1 }, { partialFilterExpression: { status: 'doubtful' } }],
    [{ organizationId: 1, projectId: 1, recordTypeId: 1, createdAt: -1, _id: -1 }],
    [{ organizationId: 1, projectId: 1, recordTypeId: 1, status: 1, createdAt: -1, _id: -1 }],
    // Every field of every type: a facet is a field with its value.
    [{ organizationId: 1, projectId: 1, recordTypeId: 1, facets: 1 }],
  ],
  savedViews: [[{ organizationId: 1, ownerId: 1 }], [{ organizationId: 1, sharing: 1 }]],
  oauthClients: [[{ organizationId: 1, createdAt: -1 }], [{ expiresAt: 1 }, { expireAfterSeconds: 0 }]],
  oauthConsents: [[{ expiresAt: 1 }, { expireAfterSeconds: 0 }]],
  oauthGrants: [
    [{ organizationId: 1, createdAt: -1 }],
    [{ organizationId: 1, userId: 1, createdAt: -1 }],
    // Deletes ended grants: no list shows them, and the audit log keeps the history.
    [{ revokedAt: 1 }, { expireAfterSeconds: 30 * 86_400 }],
    [{ expiresAt: 1 }, { expireAfterSeconds: 30 * 86_400 }],
  ],
  // Keep a used code as long as its tokens can be refreshed: a late replay revokes them.
  oauthCodes: [[{ expiresAt: 1 }, { expireAfterSeconds: 30 * 86_400 }]],
  oauthTokens: [[{ family: 1 }], [{ expiresAt: 1 }, { expireAfterSeconds: 0 }]],
  mcpSessions: [[{ forgetAt: 1 }, { expireAfterSeconds: 0 }]],
};

/** Creates missing indexes. Rejects when an index exists with other options: a migration is missing then. */
export async function ensureIndexes(db: Db): Promise<void> {
  for (const [collection, list] of Object.entries(indexes))
    await db.collection(collection).createIndexes(list.map(([key, options]) => ({ key, ...options })));
}
