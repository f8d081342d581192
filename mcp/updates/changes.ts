import type { RealtimeEvent } from '#src/domain/events/events.ts';
import { addressOf, type ResourceKind } from '#mcp/resources/address.ts';

/** Resources that an event changes. */
export interface Changes {
  readonly uris: readonly string[];
  /** True when the list of resources changes. */
  readonly list: boolean;
}

type OfOne = Extract<ResourceKind, 'run' | 'document' | 'text' | 'image' | 'experiment'>;

const of = (id: string | undefined, ...kinds: readonly OfOne[]): string[] =>
  id === undefined ? [] : kinds.map((kind) => addressOf({ kind, id }));

/** Maps an event to changed resources. Source: docs/decisions/0046. */
export function changesOf({ type, runId, documentId, data }: RealtimeEvent): Changes {
  switch (type) {
    case 'run.created':
      return { uris: of(runId, 'run'), list: true };
    case 'run.step.changed':
      // A step that has read more pages: they can be read.
      return data?.['reading'] === undefined
        ? { uris: of(runId, 'run'), list: false }
        : { uris: [...of(runId, 'run'), ...of(documentId, 'document', 'text')], list: false };
    case 'run.completed':
    case 'workflow.emitted':
      return { uris: of(runId, 'run'), list: false };
    case 'document.created':
      return { uris: of(documentId, 'document'), list: true };
    case 'ocr.created':
      return { uris: of(documentId, 'document', 'text'), list: true };
    case 'description.upserted':
    case 'document.changed':
    case 'segmentation.created':
      return { uris: of(documentId, 'document'), list: false };
    case 'experiment.changed':
      return { uris: of(String(data?.['experimentId']), 'experiment'), list: false };
    // Records are no resources: agents query them.
    case 'record.changed':
      return { uris: [], list: false };
    // The server's own events of workflows tell sessions already.
    case 'workflow.changed':
      return { uris: [], list: false };
    case 'document.deleted':
      return { uris: of(documentId, 'document', 'text', 'image'), list: true };
  }
}
