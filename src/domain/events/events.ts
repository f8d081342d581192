import type { TraceContext } from '#src/domain/traces/trace-context.ts';

/** Data of `document/process.upload`. Source: `events.upload.payload`, docs/decisions/0013. */
export interface ProcessUploadData {
  readonly documentId: string;
  readonly objectKey: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly apiKeyId: string;
  readonly agentGraphId: string;
  readonly executionId: string;
  /** Told when the execution has ended; absent: nobody is. */
  readonly callbackUrl?: string;
}

/** Events are delivered at least once; consumers deduplicate by `id`. */
export type DomainEvent =
  | {
      readonly id: string;
      readonly name: 'document/process.upload';
      readonly ts: Date;
      readonly data: ProcessUploadData;
      /** Place in the trace of the request; absent: nothing was traced. */
      readonly trace?: TraceContext;
    }
  | {
      readonly id: string;
      readonly name: 'document/created' | 'document/deleted' | 'document/trash';
      readonly ts: Date;
      readonly data: { documentId: string };
    };

/** Event names of the realtime feed. Source: `realtime.names`. */
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
  'experiment.changed',
  'record.changed',
  'document.changed',
  'workflow.changed',
] as const;
export type RealtimeKind = (typeof realtimeKinds)[number];

/** An event to append to an organization's log; an event with a known `dedupeId` is not appended again. */
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
