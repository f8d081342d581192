import type { Collections } from '#src/stores/collections.ts';
import { isDuplicateKey } from '#src/stores/connect.ts';
import { within, type TimeWindow } from '#src/stores/reads-in-time.ts';
import { draftRow, readDraft, readEdit } from '#src/stores/workflow-rows.ts';
import type { WorkflowDraftRecord, WorkflowEdit } from '#src/domain/runs/workflow.ts';

/** A draft that was changed, when and by whom. */
export interface DraftChange {
  /** Id of the workflow. */
  readonly _id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly at: Date;
  readonly by: string;
}

/** A draft without its graph. */
export interface DraftState {
  readonly revision: number;
  readonly graphHash: string;
  readonly changedAt: Date;
}

/** Reads over all organizations. */
const createChanges = ({ workflowDrafts }: Pick<Collections, 'workflowDrafts'>) => ({
  /** Drafts of all organizations, in the order of their last edits. `after` is the id of the last one at `from`. */
  async draftsChangedBetween(window: TimeWindow, limit: number): Promise<readonly DraftChange[]> {
    const rows = await workflowDrafts
      .find(within('lastEdit.at', window))
      .project<Omit<DraftChange, 'at' | 'by'> & { lastEdit: { at: Date; author: string } }>({
        organizationId: 1,
        projectId: 1,
        'lastEdit.at': 1,
        'lastEdit.author': 1,
      })
      .sort({ 'lastEdit.at': 1, _id: 1 })
      .limit(limit)
      .toArray();
    return rows.map(({ lastEdit: { at, author: by }, ...row }) => ({ ...row, at, by }));
  },
});

/** Drafts, and the log of their edits. */
export function createDraftStore({
  workflows,
  workflowDrafts,
  workflowEdits,
}: Pick<Collections, 'workflows' | 'workflowDrafts' | 'workflowEdits'>) {
  const find = (organizationId: string, workflowId: string) =>
    workflowDrafts.findOne({ _id: workflowId, organizationId });
  return {
    ...createChanges({ workflowDrafts }),
    async findDraft(organizationId: string, workflowId: string): Promise<WorkflowDraftRecord | null> {
      const row = await find(organizationId, workflowId);
      return row === null ? null : readDraft(row);
    },
    /** Revision, hash and time of the last edit of drafts, by workflow id. */
    async draftStates(
      organizationId: string,
      workflowIds: readonly string[],
    ): Promise<ReadonlyMap<string, DraftState>> {
      const rows = await workflowDrafts
        .find({ _id: { $in: [...workflowIds] }, organizationId })
        .project<{ _id: string; revision: number; graphHash: string; lastEdit: { at: Date } }>({
          revision: 1,
          graphHash: 1,
          'lastEdit.at': 1,
        })
        .toArray();
      return new Map(
        rows.map(({ _id, revision, graphHash, lastEdit }) => [_id, { revision, graphHash, changedAt: lastEdit.at }]),
      );
    },
    /**
     * Stores the next revision if the stored one is still `draft.revision - 1`. Otherwise returns false and changes nothing. Until a
     * version is published, the workflow takes the draft's name and description.
     */
    async saveDraft(draft: WorkflowDraftRecord): Promise<boolean> {
      const { _id: workflowId, organizationId } = draft;
      const before = draft.revision - 1;
      const stored = await workflowDrafts.findOne(
        { _id: workflowId, organizationId },
        { projection: { revision: 1, lastEdit: 1 } },
      );
      if (stored?.revision !== before) return false;
      // Log the edit of the stored graph before the next one replaces it: a crash in between loses none.
      await workflowEdits
        .insertOne({ ...stored.lastEdit, _id: `${workflowId}@${before}`, organizationId, workflowId })
        .catch((error: unknown) => {
          if (!isDuplicateKey(error)) throw error;
        });
      const { revision, graph, graphHash, lastEdit } = draftRow(draft);
      const done = await workflowDrafts.updateOne(
        { _id: workflowId, organizationId, revision: before },
        { $set: { revision, graph, graphHash, lastEdit } },
      );
      if (done.matchedCount === 0) return false;
      const { name, description } = draft.graph;
      await workflows.updateOne(
        // Usually neither changed, and nothing is written.
        {
          _id: workflowId,
          organizationId,
          publishedVersion: null,
          $or: [{ name: { $ne: name } }, { description: { $ne: description } }],
        },
        { $set: { name, description, updatedAt: lastEdit.at } },
      );
      return true;
    },
    /** Lists edits with `revision > after`, oldest first. */
    async editsSince(
      organizationId: string,
      workflowId: string,
      after: number,
      limit: number,
    ): Promise<readonly WorkflowEdit[]> {
      // Read the draft first: the log then has every edit before it, even with concurrent saves.
      const draft = await find(organizationId, workflowId);
      if (draft === null || draft.revision <= after) return [];
      const logged = await workflowEdits
        .find({ organizationId, workflowId, revision: { $gt: after, $lt: draft.revision } })
        .sort({ revision: 1 })
        .limit(limit)
        .toArray();
      return [...logged, draft.lastEdit].slice(0, limit).map(readEdit);
    },
  };
}
