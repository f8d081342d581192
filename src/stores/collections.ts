import type { Collection, Db } from 'mongodb';
import type { Role } from '#src/contracts/organization/member.ts';
import type { ApiKeyRecord } from '#src/domain/access/api-key.ts';
import type { DocumentRecord, UploadRecord } from '#src/domain/documents/document.ts';
import type { ExecutionRecord, RunRecord } from '#src/domain/runs/run.ts';
import type { WorkflowRecord } from '#src/domain/runs/workflow.ts';
import type { DescriptionRow, EmbeddingRow, OcrPageRow, OcrRow, SegmentationRow } from '#src/stores/result-rows.ts';
import type { QueueRecord } from '#src/domain/runs/queue.ts';
import type { ConversationRow, MessageRow } from '#src/stores/conversation-rows.ts';
import type { SearchRow } from '#src/stores/search/rows/row.ts';
import type { WorkflowDraftRow, WorkflowEditRow, WorkflowVersionRow } from '#src/stores/workflow-rows.ts';
import type { AccountMail, AccountToken } from '#src/domain/access/account-mail.ts';
import type { InvitationRecord, ProjectRoles, Removal } from '#src/domain/access/member.ts';
import type { LoggedEvent } from '#src/domain/events/events.ts';
import type {
  AuthorizationCode,
  ConsentRequest,
  OAuthClient,
  OAuthGrant,
  OAuthToken,
} from '#src/domain/access/oauth/records.ts';
import type { OrganizationRecord, ProjectRecord } from '#src/domain/access/organization.ts';
import type { QuotaScope } from '#src/domain/access/quota.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';
import type { DatasetRecord, LedgerRecord } from '#src/domain/experiments/dataset.ts';
import type { CellRow, DatasetVersionRow, ExperimentGraphRow, ExperimentRow } from '#src/stores/experiments/rows.ts';
import type { RecordTypeRecord } from '#src/domain/records/record-type.ts';
import type { PreferencesRecord, SavedViewRecord } from '#src/domain/operators/saved-view.ts';
import type { RecordRow } from '#src/stores/records/row.ts';
import type { DeliveryRecord } from '#src/domain/webhooks/delivery.ts';
import type { WebhookRecord } from '#src/domain/webhooks/subscription.ts';

/** `_id` is `<projectId>/<name>`. */
export interface SecretRow {
  readonly _id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly createdBy: string;
  /** Hosts that the secret may be sent to, sealed with it. Missing in secrets of older versions, which go nowhere. */
  readonly hosts?: readonly string[];
  /** Nonce (12 bytes), tag (16 bytes) and ciphertext, in base64. */
  readonly sealed: string;
  /** Id of the key that sealed it. Missing in secrets of older versions. */
  readonly sealedBy?: string;
}

/** Work on a document that used up its computing time or memory. `_id` is `<organizationId>/<content> <work>`. */
export interface SpentWorkRow {
  readonly _id: string;
  readonly organizationId: string;
  /** SHA-256 of the document, in hex. */
  readonly content: string;
  /** Program with its version, kind of work and page. */
  readonly work: string;
  readonly times: number;
  readonly forgetAt: Date;
}

/** Outcomes of nodes that were stored together. `_id` is `<projectId>:<key>` of the first. */
export interface NodeCacheRow {
  readonly _id: string;
  readonly organizationId: string;
  /** Deleting the document deletes its cached outcomes too. */
  readonly documentId: string;
  /** JSON text, because members may have any name. */
  readonly outcome: string;
  readonly forgetAt: Date;
  /** Outcomes beside the first, with ids like `_id`; absent: there are none. */
  readonly others?: readonly { readonly id: string; readonly outcome: string }[];
}

/** Steps of a run that has more of them than its own record holds. `_id` is `<runId>/<number>`. */
export interface StepBucketRow {
  readonly _id: string;
  readonly runId: string;
  readonly organizationId: string;
  /** Fencing token of the lease that wrote it. */
  readonly fence: number;
  readonly steps: readonly StepRecord[];
}

/** Consecutive events of one log, which were stored together. `_id` is `<organizationId>/<first>`. */
export interface EventBucketRow {
  readonly _id: string;
  readonly organizationId: string;
  /** Number of its first event. */
  readonly first: number;
  readonly last: number;
  /** Time of its newest event. */
  readonly at: Date;
  /** `dedupeId` of each event. */
  readonly ids: readonly string[];
  readonly executionIds: readonly string[];
  readonly events: readonly Omit<LoggedEvent, 'dedupeId' | 'organizationId' | 'seq'>[];
}

export interface IdempotencyRow {
  readonly _id: string;
  readonly organizationId: string;
  readonly fingerprint: string;
  readonly reply: { readonly status: number; readonly body: unknown } | null;
  readonly createdAt: Date;
  readonly forgetAt: Date;
}

/** `_id` is the id of the organization, project or key. */
export interface UsageRow {
  readonly _id: string;
  readonly organizationId: string;
  readonly scope: QuotaScope;
  readonly bytes: number;
  readonly objects: number;
}

interface CounterRow {
  readonly _id: string;
  readonly seq: number;
  readonly epoch?: string;
}

export interface AuditRow {
  readonly _id: string;
  readonly organizationId: string;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly ip?: string | null;
  /** Announced, and not recorded yet. Missing: done. */
  readonly outcome?: 'started';
  /** Occurrences in one minute; missing: one. */
  readonly count?: number;
}

export interface ProjectRow extends ProjectRecord {
  /** Unique within the organization. Missing in projects of older versions. */
  readonly nameKey?: string;
}

/** Fields that we read of a record of the authentication library. */
export interface UserRow {
  readonly _id: string;
  readonly email: string;
  readonly name: string;
  readonly emailVerified?: boolean;
  readonly twoFactorEnabled?: boolean;
}

/** Fields that we read of a passkey, which the authentication library stores. */
export interface PasskeyRow {
  readonly _id: string;
  readonly userId: string;
  readonly name?: string | null;
  /** Id that the authenticator chose, in base64url. */
  readonly credentialID: string;
  readonly counter: number;
  readonly backedUp: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt?: Date | null;
}

export interface MemberRow {
  readonly _id: string;
  readonly organizationId: string;
  readonly userId: string;
  readonly role: Role;
  readonly projectRoles?: ProjectRoles;
  readonly pendingRole?: Role;
  readonly createdAt: Date;
  /** Mark of an owner who is about to leave or lose the role. */
  readonly leaving?: { readonly token: string; readonly at: Date };
  /** Set while the credentials of a removed member end. `userId` is the id of the row then, so that it is nobody's membership. */
  readonly removal?: Removal;
}

export interface InvitationRow extends Omit<InvitationRecord, 'invitationId' | 'linkHash'> {
  readonly _id: string;
  /** Missing in invitations of older versions, which no link opens. */
  readonly linkHash?: string;
  readonly status: 'pending' | 'accepted' | 'rejected' | 'canceled';
}

/** `_id` is the hash of the subject, such as an e-mail address that somebody typed. */
export interface GuessRow {
  readonly _id: string;
  readonly count: number;
  readonly waitUntil: Date;
  readonly forgetAt: Date;
}

export interface AccountMailRow {
  readonly _id: string;
  readonly mail: AccountMail;
  readonly attempts: number;
  readonly dueAt: Date;
  readonly expiresAt: Date;
}

type Grant<T> = T extends unknown ? Omit<T, 'expiresAt'> : never;

/** `_id` is the SHA-256 of the token. */
export interface AccountTokenRow {
  readonly _id: string;
  readonly email: string;
  readonly grant: Grant<AccountToken>;
  readonly expiresAt: Date;
}

/** `_id` is the name of the session, which its id carries. */
export interface McpSessionRow {
  readonly _id: string;
  readonly organizationId: string;
  /** Missing: not used for longer than a moment. */
  readonly usedAt?: Date;
  readonly ended?: true;
  /** Resources that it subscribed to. */
  readonly uris?: readonly string[];
  readonly forgetAt: Date;
}

export interface Collections {
  readonly organizations: Collection<OrganizationRecord>;
  readonly projects: Collection<ProjectRow>;
  readonly users: Collection<UserRow>;
  readonly passkeys: Collection<PasskeyRow>;
  readonly members: Collection<MemberRow>;
  readonly invitations: Collection<InvitationRow>;
  readonly accountMails: Collection<AccountMailRow>;
  readonly accountTokens: Collection<AccountTokenRow>;
  readonly guesses: Collection<GuessRow>;
  readonly conversations: Collection<ConversationRow>;
  readonly messages: Collection<MessageRow>;
  readonly apiKeys: Collection<ApiKeyRecord>;
  readonly uploads: Collection<UploadRecord>;
  readonly usage: Collection<UsageRow>;
  readonly documents: Collection<DocumentRecord>;
  readonly ocrResults: Collection<OcrRow>;
  readonly ocrPages: Collection<OcrPageRow>;
  readonly descriptions: Collection<DescriptionRow>;
  readonly embeddings: Collection<EmbeddingRow>;
  readonly segmentationResults: Collection<SegmentationRow>;
  readonly searchRecords: Collection<SearchRow>;
  readonly workflows: Collection<WorkflowRecord>;
  readonly workflowVersions: Collection<WorkflowVersionRow>;
  readonly workflowDrafts: Collection<WorkflowDraftRow>;
  readonly workflowEdits: Collection<WorkflowEditRow>;
  readonly executions: Collection<ExecutionRecord>;
  readonly runs: Collection<RunRecord>;
  readonly queues: Collection<QueueRecord>;
  readonly steps: Collection<StepBucketRow>;
  readonly idempotency: Collection<IdempotencyRow>;
  readonly events: Collection<EventBucketRow>;
  readonly counters: Collection<CounterRow>;
  readonly audit: Collection<AuditRow>;
  readonly secrets: Collection<SecretRow>;
  readonly deliveries: Collection<DeliveryRecord>;
  readonly webhooks: Collection<WebhookRecord>;
  readonly nodeCache: Collection<NodeCacheRow>;
  readonly spentWork: Collection<SpentWorkRow>;
  readonly datasets: Collection<DatasetRecord>;
  readonly datasetVersions: Collection<DatasetVersionRow>;
  readonly datasetLedgers: Collection<LedgerRecord>;
  readonly experiments: Collection<ExperimentRow>;
  readonly experimentGraphs: Collection<ExperimentGraphRow>;
  readonly experimentCells: Collection<CellRow>;
  readonly recordTypes: Collection<RecordTypeRecord>;
  readonly records: Collection<RecordRow>;
  readonly savedViews: Collection<SavedViewRecord>;
  readonly preferences: Collection<PreferencesRecord>;
  readonly oauthClients: Collection<OAuthClient>;
  readonly oauthConsents: Collection<ConsentRequest>;
  readonly oauthGrants: Collection<OAuthGrant>;
  readonly oauthCodes: Collection<AuthorizationCode>;
  readonly oauthTokens: Collection<OAuthToken>;
  readonly mcpSessions: Collection<McpSessionRow>;
}

const names = [
  'organizations',
  'projects',
  'users',
  'passkeys',
  'members',
  'invitations',
  'accountMails',
  'accountTokens',
  'guesses',
  'conversations',
  'messages',
  'apiKeys',
  'uploads',
  'usage',
  'documents',
  'ocrResults',
  'ocrPages',
  'descriptions',
  'embeddings',
  'segmentationResults',
  'searchRecords',
  'workflows',
  'workflowVersions',
  'workflowDrafts',
  'workflowEdits',
  'executions',
  'runs',
  'queues',
  'steps',
  'idempotency',
  'events',
  'counters',
  'audit',
  'secrets',
  'deliveries',
  'webhooks',
  'nodeCache',
  'spentWork',
  'datasets',
  'datasetVersions',
  'datasetLedgers',
  'experiments',
  'experimentGraphs',
  'experimentCells',
  'recordTypes',
  'records',
  'savedViews',
  'preferences',
  'oauthClients',
  'oauthConsents',
  'oauthGrants',
  'oauthCodes',
  'oauthTokens',
  'mcpSessions',
] as const satisfies readonly (keyof Collections)[];

export function collectionsOf(db: Db): Collections {
  return Object.fromEntries(names.map((name) => [name, db.collection(name)])) as unknown as Collections;
}
