import type { Collections } from '#src/adapters/database/collections.ts';
import { isDuplicateKey } from '#src/adapters/database/connect.ts';
import type { WorkflowStore } from '#src/domain/ports/workflows.ts';
import type { WorkflowVersionRecord } from '#src/domain/runs/workflow.ts';

export function createWorkflowStore({
  workflows,
  workflowVersions,
}: Pick<Collections, 'workflows' | 'workflowVersions'>): WorkflowStore {
  /** The version first: a workflow never names a version that is not there. */
  const insertVersion = async (version: WorkflowVersionRecord): Promise<void> => {
    try {
      await workflowVersions.insertOne(version);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  };
  return {
    async insert(workflow, version) {
      await insertVersion(version);
      await workflows.insertOne(workflow);
    },
    find: ({ organizationId, projectIds }, id) =>
      workflows.findOne({ _id: id, organizationId, projectId: { $in: [...projectIds] } }),
    listPublished: ({ organizationId, projectIds }) =>
      workflows
        .find({ organizationId, projectId: { $in: [...projectIds] }, publishedVersion: { $ne: null } })
        .sort({ name: 1 })
        .limit(500)
        .toArray(),
    findVersion: (organizationId, workflowId, version) =>
      workflowVersions.findOne({ _id: `${workflowId}@${version}`, organizationId }),
    listByCodeName: (codeName) => workflows.find({ codeName }).limit(10_000).toArray(),
    async publish(workflow, version) {
      await insertVersion(version);
      await workflows.updateOne(
        { _id: workflow._id, organizationId: workflow.organizationId },
        {
          $set: {
            publishedVersion: version.version,
            publishedHash: version.graphHash,
            updatedAt: version.createdAt,
          },
        },
      );
    },
    async delete({ organizationId, projectIds }, id) {
      const done = await workflows.deleteOne({ _id: id, organizationId, projectId: { $in: [...projectIds] } });
      return done.deletedCount === 1;
    },
  };
}
