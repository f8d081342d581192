import type { KeyObject } from 'node:crypto';
import type { Catalog } from '#graphs/catalog.ts';
import type { Code } from '#graphs/code/code.ts';
import type { Installation } from '#graphs/check/installation/installation.ts';
import type { GraphCheck } from '#graphs/check.ts';
import type { CheckGraph } from '#graphs/compute/check-in-thread.ts';
import type { LRUCache } from 'lru-cache';
import type { Stemmers } from '#src/domain/chat/read-question.ts';
import type { AccountMail } from '#src/domain/access/account-mail.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { PageViews } from '#tools/pictures/page-views.ts';
import type { RealtimeEvent } from '#src/domain/events/events.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { ChatModel } from '#src/domain/ports/chat-model.ts';
import type { ImageCodec } from '#src/domain/ports/image-codec.ts';
import type { Outbound } from '#src/domain/ports/outbound.ts';
import type { ObjectStore } from '#src/domain/ports/object-store.ts';
import type { WakeQueue } from '#src/domain/ports/wake-queue.ts';
import type { AuditLog } from '#src/stores/audit-log.ts';
import type { ApiKeyStore } from '#src/stores/api-keys.ts';
import type { ConversationStore } from '#src/stores/conversations.ts';
import type { MemberStore } from '#src/stores/members.ts';
import type { DocumentStore } from '#src/stores/documents.ts';
import type { EventLog } from '#src/stores/event-log.ts';
import type { DatasetStore } from '#src/stores/experiments/dataset-store.ts';
import type { ExperimentStore } from '#src/stores/experiments/experiment-store.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';
import type { GroundingTexts } from '#src/stores/grounding-texts.ts';
import type { IdempotencyStore } from '#src/stores/idempotency.ts';
import type { OAuthStore } from '#src/stores/oauth.ts';
import type { OrganizationStore } from '#src/stores/organizations.ts';
import type { CorrectionStore } from '#src/stores/operators/corrections.ts';
import type { TrashStore } from '#src/stores/operators/trash.ts';
import type { StatisticsStore } from '#src/stores/operators/statistics.ts';
import type { DeliveryStore } from '#src/stores/deliveries.ts';
import type { WebhookStore } from '#src/stores/webhooks/webhook-store.ts';
import type { ViewStore } from '#src/stores/operators/views.ts';
import type { RecordStore } from '#src/stores/records/record-store.ts';
import type { RecordTypeStore } from '#src/stores/records/record-types.ts';
import type { ResultStore } from '#src/stores/results.ts';
import type { SearchIndex } from '#src/stores/search/search-index.ts';
import type { SecretStore } from '#src/stores/secrets.ts';
import type { StepStore } from '#src/stores/steps.ts';
import type { Thumbnails } from '#tools/pictures/signed-media.ts';
import type { UploadStore } from '#src/stores/uploads.ts';
import type { UsageStore } from '#src/stores/usage.ts';
import type { WorkflowStore } from '#src/stores/workflows.ts';

/** Everything a tool may use. The composition root provides it. */
export interface ToolDeps {
  readonly apiKeys: ApiKeyStore;
  readonly organizations: OrganizationStore;
  readonly members: MemberStore;
  readonly conversations: ConversationStore;
  /** Answers questions about documents; its label is null when no model is configured. */
  readonly chatModel: ChatModel;
  readonly groundingTexts: GroundingTexts;
  readonly stemmers: Stemmers;
  readonly uploads: UploadStore;
  readonly usage: UsageStore;
  readonly documents: DocumentStore;
  readonly objects: ObjectStore;
  readonly images: ImageCodec;
  readonly thumbnails: Thumbnails;
  /** Renders pages for models. */
  readonly pageViews: Pick<PageViews, 'picture' | 'open'>;
  readonly workflows: WorkflowStore;
  readonly executions: ExecutionStore;
  readonly datasets: DatasetStore;
  readonly experiments: ExperimentStore;
  readonly steps: StepStore;
  readonly results: ResultStore;
  readonly recordTypes: RecordTypeStore;
  readonly records: RecordStore;
  readonly search: SearchIndex;
  readonly corrections: CorrectionStore;
  readonly trash: TrashStore;
  readonly statistics: StatisticsStore;
  readonly views: ViewStore;
  readonly webhooks: WebhookStore;
  readonly deliveries: Pick<DeliveryStore, 'add' | 'listOf' | 'again'>;
  /** Tells the sender of webhooks that a delivery is due. */
  pushDeliveries(): void;
  readonly idempotency: IdempotencyStore;
  readonly oauth: OAuthStore;
  readonly events: EventLog;
  readonly wake: WakeQueue;
  readonly audit: AuditLog;
  /** Checks webhook URLs. */
  readonly outbound: Pick<Outbound, 'refuses'>;
  readonly secrets: SecretStore;
  /** Secret with which receivers verify webhooks, `whsec_...`: of a project for its callbacks, or under the name of a webhook's secret. */
  webhookSecretOf(name: string): string;
  /** Names the key that these secrets derive from. */
  readonly webhookKeyId: string;
  readonly catalog: Catalog;
  /** Workflows and evaluators in code. */
  readonly code: Pick<Code, 'workflows' | 'evaluators'>;
  /** Models, hosts and languages that workflows can use here. */
  readonly installation: Installation;
  /** Finds all issues of a graph, off the event loop if it is large. */
  readonly checkGraph: CheckGraph;
  /** Names of the service's own tools, which no workflow can have as a tool. */
  builtInTools(): Promise<ReadonlySet<string>>;
  /** Finds what does not fit a schema without `schemaProblems`, off the event loop: one line each; null if that takes too long. */
  readonly unfitFor: (
    payload: { readonly schema: Readonly<Record<string, unknown>>; readonly value: unknown },
    signal: AbortSignal,
  ) => Promise<readonly string[] | null>;
  /** Caches check results of immutable graphs, by version or revision. */
  readonly checks: LRUCache<string, GraphCheck>;
  /** Stores the document of an upload, durably, and starts its workflow. `forgotten`: it was deleted meanwhile, and stays so. */
  accept(document: DocumentRecord): Promise<'created' | 'exists' | 'forgotten'>;
  /** Tells the outbox relay that a document with pending events was written. */
  relay(document: DocumentRecord): void;
  /** Deletes the checkpoints of runs that will not continue, in the background. */
  forgetRuns(runIds: readonly string[]): void;
  /** Appends to the realtime log in the background; failures are logged. */
  announce(events: readonly RealtimeEvent[]): void;
  /** URL of the MCP endpoint: the resource of OAuth tokens. */
  mcpEndpoint(): string;
  /** Public URL of a page, such as the one that accepts an invitation. */
  pageUrl(path: string): string;
  /** Stores a mail about an account to be sent. False when none is sent: no mail is configured, or the address had too many. */
  queueMail(mail: AccountMail): Promise<boolean>;
  /** Adds the default workflows to a new project. */
  seedProject(place: { organizationId: string; projectId: string }): Promise<void>;
  readonly cursorSecret: KeyObject;
  readonly limits: {
    readonly uploadMaxBytes: number;
    readonly signContentType: boolean;
    /** Days until documents in the trash are deleted. */
    readonly trashDays: number;
    /** Requests per second of a key without a limit of its own; 0: no limit. */
    readonly ratePerSecond: number;
  };
  readonly modelLabels: {
    readonly describer: string;
    readonly textEmbeddings: string;
    readonly imageEmbeddings: string;
  };
  /** Aborts when this process is about to close its connections: calls that wait answer with what there is. */
  readonly stopping: AbortSignal;
  readonly logger: Logger;
}
