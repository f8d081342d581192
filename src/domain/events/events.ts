/** Data of `document/process.upload`. Source: specification §6; contracts.md "Events". */
export interface ProcessUploadData {
  readonly documentId: string;
  readonly objectKey: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly apiKeyId: string;
  readonly agentGraphId: string;
  readonly executionId: string;
}

/** `id` is the dedupe key: delivered at least once, acted on once. */
export type DomainEvent =
  | {
      readonly id: string;
      readonly name: 'document/process.upload';
      readonly ts: Date;
      readonly data: ProcessUploadData;
    }
  | {
      readonly id: string;
      readonly name: 'document/created' | 'document/deleted';
      readonly ts: Date;
      readonly data: { documentId: string };
    };

/** Kinds of the realtime feed: the seven of specification §6, and two of ours. */
export const realtimeKinds = [
  'document.created',
  'ocr.created',
  'description.upserted',
  'segmentation.created',
  'run.created',
  'run.step.changed',
  'run.completed',
  'document.deleted',
  'workflow.emitted',
] as const;
export type RealtimeKind = (typeof realtimeKinds)[number];

/** What is appended to an organization's log. `dedupeId` makes appending twice harmless. */
export interface RealtimeEvent {
  readonly dedupeId: string;
  readonly type: RealtimeKind;
  readonly at: Date;
  readonly organizationId: string;
  readonly projectId: string;
  readonly documentId?: string;
  readonly executionId?: string;
  readonly runId?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface LoggedEvent extends RealtimeEvent {
  /** Rises by organization. */
  readonly seq: number;
}
