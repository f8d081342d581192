import { descriptionCorrected, documentChanged, ocrCorrected, workflowChanged } from '#src/domain/events/realtime.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { RealtimeEvent } from '#src/domain/events/events.ts';
import type { WorkflowRecord } from '#src/domain/runs/workflow.ts';
import type { DocumentStore } from '#src/stores/documents.ts';
import type { DraftChange } from '#src/stores/workflow-drafts.ts';
import type { WorkflowStore } from '#src/stores/workflows.ts';
import { lookAt, type Look, type Source, type Tell } from '#app/agents/announce/source.ts';

export interface PeopleChangesParts {
  readonly documents: Pick<DocumentStore, 'namedBetween' | 'correctedBetween'>;
  readonly workflows: Pick<WorkflowStore, 'publishedBetween' | 'draftsChangedBetween' | 'states' | 'findVersion'>;
  readonly tell: Tell;
}

const namesOf = ({ documents, tell }: PeopleChangesParts): Source<DocumentRecord> => ({
  read: (window, limit) => documents.namedBetween(window, limit),
  at: ({ named, createdAt }) => named?.at ?? createdAt,
  tell: (rows) =>
    tell(rows.flatMap((document) => (document.named === undefined ? [] : documentChanged(document, document.named)))),
});

/** The event of a document's last correction. A run may have replaced the text since then: its own event tells of that. */
function correctionOf(document: DocumentRecord): RealtimeEvent[] {
  const { corrected, ocr, description } = document;
  if (corrected === undefined) return [];
  const isIts = (text: { readonly createdAt: Date } | null) => text?.createdAt.getTime() === corrected.at.getTime();
  return [
    ...(ocr !== null && isIts(ocr) ? [ocrCorrected(document, ocr, corrected)] : []),
    ...(description !== null && isIts(description) ? [descriptionCorrected(document, description, corrected)] : []),
  ];
}

const correctionsOf = ({ documents, tell }: PeopleChangesParts): Source<DocumentRecord> => ({
  read: (window, limit) => documents.correctedBetween(window, limit),
  at: ({ corrected, createdAt }) => corrected?.at ?? createdAt,
  tell: (rows) => tell(rows.flatMap(correctionOf)),
});

/** A workflow that was changed, when and by whom. */
interface Changed extends DraftChange {
  readonly toolsChanged?: true;
}

/** Tells the states that workflows are in now. */
async function tellStates({ workflows, tell }: PeopleChangesParts, rows: readonly Changed[]): Promise<void> {
  const events: RealtimeEvent[] = [];
  for (const [organizationId, ofOne] of Map.groupBy(rows, (row) => row.organizationId)) {
    const ids = ofOne.map(({ _id }) => _id);
    const states = new Map((await workflows.states(organizationId, ids)).map((state) => [state.workflowId, state]));
    for (const { by, at, toolsChanged, ...workflow } of ofOne) {
      const { revision = null, publishedVersion = null } = states.get(workflow._id) ?? {};
      // Without a draft it is one of the program's own, which no person changes, or it is gone.
      if (revision === null) continue;
      const isOther = toolsChanged === undefined ? {} : { toolsChanged };
      events.push(workflowChanged(workflow, { revision, publishedVersion, by, ...isOther }, at));
    }
  }
  await tell(events);
}

const draftsOf = (parts: PeopleChangesParts): Source<DraftChange> => ({
  read: (window, limit) => parts.workflows.draftsChangedBetween(window, limit),
  at: ({ at }) => at,
  tell: (rows) => tellStates(parts, rows),
});

const publicationsOf = (parts: PeopleChangesParts): Source<WorkflowRecord> => ({
  read: (window, limit) => parts.workflows.publishedBetween(window, limit),
  at: ({ updatedAt }) => updatedAt,
  async tell(rows) {
    const published = rows.map(async ({ _id, organizationId, projectId, publishedVersion, updatedAt: at }) => {
      if (publishedVersion === null) return [];
      const version = await parts.workflows.findVersion(organizationId, _id, publishedVersion);
      // Sessions that list their tools once more find out if the tool is another one.
      return { _id, organizationId, projectId, at, by: version?.author ?? 'unknown', toolsChanged: true as const };
    });
    await tellStates(parts, (await Promise.all(published)).flat());
  },
});

/**
 * Changes by people and by programs in their place: names, corrections, publications, drafts. Order matters: the state of a draft that was
 * published is told by who published it. Source: docs/decisions/0250.
 */
export const peopleChanges = (parts: PeopleChangesParts): readonly Look[] => [
  lookAt(namesOf(parts)),
  lookAt(correctionsOf(parts)),
  lookAt(publicationsOf(parts)),
  lookAt(draftsOf(parts)),
];
