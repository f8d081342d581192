import type { Filter } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import { within, type TimeWindow } from '#src/stores/reads-in-time.ts';
import { isDuplicateKey } from '#src/stores/connect.ts';
import { createDraftStore } from '#src/stores/workflow-drafts.ts';
import {
  draftRow,
  readVersion,
  readVersionFields,
  versionRow,
  type WorkflowVersionRow,
} from '#src/stores/workflow-rows.ts';
import { LRUCache } from 'lru-cache';
import { batchedReads } from '#src/concurrency/batched-reads.ts';
import type { Tenant } from '#src/domain/access/tenant.ts';
import {
  storedTool,
  type WorkflowRecord,
  type WorkflowVersionRecord,
  type WorkflowDraftRecord,
} from '#src/domain/runs/workflow.ts';
import type { Gate } from '#src/contracts/resources/workflow.ts';
import type { ListPosition } from '#src/domain/cursor.ts';

/** `revision` is the draft's. null: there is no draft. */
export interface WorkflowState {
  readonly workflowId: string;
  readonly revision: number | null;
  readonly publishedVersion: number | null;
}

const owned = ({ organizationId, projectIds: [only, ...more] }: Tenant): Filter<WorkflowRecord> => ({
  organizationId,
  projectId: only !== undefined && more.length === 0 ? only : { $in: [...(only === undefined ? [] : [only]), ...more] },
});

const olderThan = (after: ListPosition | null): Filter<WorkflowRecord> =>
  after === null
    ? {}
    : {
        createdAt: { $lte: after.createdAt },
        $or: [{ createdAt: { $lt: after.createdAt } }, { _id: { $lt: after.id } }],
      };

const containing = (text: string): { readonly $regex: string; readonly $options: string } => ({
  $regex: text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`),
  $options: 'i',
});

/** Limit on the characters of JSON of the cached versions. */
const keptCharacters = 8_000_000;

/** Batches reads by organization and id: concurrent calls share one query for each organization. */
const workflowReads = (workflows: Collections['workflows']) =>
  batchedReads<WorkflowRecord>(async (keys) => {
    const asked = keys.map((key) => ({
      organizationId: key.slice(0, key.indexOf(' ')),
      _id: key.slice(key.indexOf(' ') + 1),
    }));
    const ofOne = [...Map.groupBy(asked, ({ organizationId }) => organizationId)].map(([organizationId, these]) =>
      workflows.find({ _id: { $in: these.map(({ _id }) => _id) }, organizationId }).toArray(),
    );
    const rows = (await Promise.all(ofOne)).flat();
    return new Map(rows.map((row) => [`${row.organizationId} ${row._id}`, row]));
  });

/** Caches versions: they never change, and workflow ids are not reused. */
function createVersions(workflowVersions: Collections['workflowVersions']) {
  const cache = new LRUCache<string, WorkflowVersionRecord>({ maxSize: keptCharacters });
  const reads = {
    async findVersion(
      organizationId: string,
      workflowId: string,
      version: number,
    ): Promise<WorkflowVersionRecord | null> {
      const _id = `${workflowId}@${version}`;
      const key = `${organizationId} ${_id}`;
      const kept = cache.get(key);
      if (kept !== undefined) return kept;
      const row = await workflowVersions.findOne({ _id, organizationId });
      if (row === null) return null;
      const found = readVersion(row);
      const { length: size } = typeof row.graph === 'string' ? row.graph : JSON.stringify(row.graph);
      cache.set(key, found, { size });
      return found;
    },
    /** Lists versions below `before`, newest first, without their graphs. */
    async listVersions(
      organizationId: string,
      workflowId: string,
      before: number | null,
      limit: number,
    ): Promise<readonly Omit<WorkflowVersionRecord, 'graph'>[]> {
      const rows = await workflowVersions
        .find({ organizationId, workflowId, ...(before !== null && { version: { $lt: before } }) })
        .project<Omit<WorkflowVersionRow, 'graph'>>({ graph: 0 })
        .sort({ version: -1 })
        .limit(limit)
        .toArray();
      return rows.map(readVersionFields);
    },
  };
  return {
    reads,
    /** False when this number exists with another graph. */
    async insert(version: WorkflowVersionRecord): Promise<boolean> {
      try {
        await workflowVersions.insertOne(versionRow(version));
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const { _id, organizationId, graphHash } = version;
        const there = await workflowVersions.findOne({ _id, organizationId }, { projection: { graphHash: 1 } });
        return there?.graphHash === graphHash;
      }
    },
    async deleteOf(organizationId: string, workflowId: string): Promise<void> {
      await workflowVersions.deleteMany({ organizationId, workflowId });
      for (const key of cache.keys()) if (key.startsWith(`${organizationId} ${workflowId}@`)) cache.delete(key);
    },
  };
}

function createPublishing(workflows: Collections['workflows'], versions: ReturnType<typeof createVersions>) {
  return {
    /**
     * Adds the version and publishes it. Returns false when this number exists with another graph, because of a concurrent publish. A
     * workflow that has a newer published version keeps it.
     */
    async publish({ _id, organizationId }: WorkflowRecord, version: WorkflowVersionRecord): Promise<boolean> {
      if (!(await versions.insert(version))) return false;
      const { name, description, tool } = version.graph;
      await workflows.updateOne(
        // A late publish must not replace a newer version.
        { _id, organizationId, $or: [{ publishedVersion: null }, { publishedVersion: { $lt: version.version } }] },
        {
          $set: {
            name,
            description,
            publishedVersion: version.version,
            publishedHash: version.graphHash,
            updatedAt: version.at,
            ...(tool !== undefined && { tool: storedTool(tool) }),
          },
          ...(tool === undefined && { $unset: { tool: true } }),
        },
      );
      return true;
    },
    /** Sets the gate, or removes it. False when somebody changed it meanwhile. */
    async setGate({ _id, organizationId, gate }: WorkflowRecord, next: Gate | null): Promise<boolean> {
      const done = await workflows.updateOne(
        { _id, organizationId, gate: gate ?? { $exists: false } },
        next === null ? { $unset: { gate: true } } : { $set: { gate: next } },
      );
      return done.matchedCount === 1;
    },
  };
}

function inserts(
  { workflows, workflowDrafts }: Pick<Collections, 'workflows' | 'workflowDrafts'>,
  versions: Pick<ReturnType<typeof createVersions>, 'insert'>,
) {
  return {
    /** Inserts a workflow with its first version, its first draft, or both. */
    async insert(
      workflow: WorkflowRecord,
      { version, draft }: { readonly version?: WorkflowVersionRecord; readonly draft?: WorkflowDraftRecord },
    ): Promise<void> {
      // Insert the version first: a workflow never names a missing version.
      if (version !== undefined) await versions.insert(version);
      if (draft !== undefined) await workflowDrafts.insertOne(draftRow(draft));
      await workflows.insertOne(workflow);
    },
    /** Inserts a workflow whose id follows from what it is, unless another process did. */
    async insertOnce(workflow: WorkflowRecord, version: WorkflowVersionRecord): Promise<void> {
      await versions.insert(version);
      try {
        await workflows.insertOne(workflow);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },
  };
}

export function createWorkflowStore(
  collections: Pick<Collections, 'workflows' | 'workflowVersions' | 'workflowDrafts' | 'workflowEdits'>,
) {
  const { workflows, workflowVersions, workflowDrafts, workflowEdits } = collections;
  const versions = createVersions(workflowVersions);
  const read = workflowReads(workflows);
  return {
    ...createDraftStore(collections),
    ...inserts(collections, versions),
    async find({ organizationId, projectIds }: Tenant, id: string): Promise<WorkflowRecord | null> {
      const found = await read(`${organizationId} ${id}`);
      return found !== undefined && projectIds.includes(found.projectId) ? found : null;
    },
    /** Lists published workflows of the tenant's projects, by name. */
    listPublished: (tenant: Tenant): Promise<readonly WorkflowRecord[]> =>
      workflows
        .find({ ...owned(tenant), publishedVersion: { $ne: null } })
        .sort({ name: 1 })
        .limit(500)
        .toArray(),
    /** Lists published workflows of the tenant's projects that are MCP tools, oldest first. */
    listTools: (tenant: Tenant, limit: number): Promise<readonly WorkflowRecord[]> =>
      workflows
        .find({ ...owned(tenant), 'tool.name': { $exists: true }, publishedVersion: { $ne: null } })
        .sort({ createdAt: 1, _id: 1 })
        .limit(limit)
        .toArray(),
    /** Lists all workflows of the tenant's projects, newest first. `name`: only those whose name contains it, in any case. */
    list: (
      tenant: Tenant,
      after: ListPosition | null,
      limit: number,
      name?: string,
    ): Promise<readonly WorkflowRecord[]> =>
      workflows
        .find({ ...owned(tenant), ...olderThan(after), ...(name !== undefined && { name: containing(name) }) })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .toArray(),
    /** Published workflows of all organizations, in the order of their last changes. `after` is the id of the last one at `from`. */
    publishedBetween: (window: TimeWindow, limit: number): Promise<readonly WorkflowRecord[]> =>
      workflows
        .find({ ...within('updatedAt', window), publishedVersion: { $gte: 1 } })
        .sort({ updatedAt: 1, _id: 1 })
        .limit(limit)
        .toArray(),
    /** Lists workflows of all tenants that follow a code-defined one, for boot. */
    listByCodeName: (codeName: string): Promise<readonly WorkflowRecord[]> =>
      workflows.find({ codeName }).limit(10_000).toArray(),
    /** Workflows of the tenant's projects that follow a code-defined one, usually one for each project. */
    followersOf: (tenant: Tenant, codeName: string): Promise<readonly WorkflowRecord[]> =>
      workflows
        .find({ ...owned(tenant), codeName })
        .limit(100)
        .toArray(),
    ...versions.reads,
    /** Revision and published version of these workflows, without graphs. Omits ids of other organizations. */
    async states(organizationId: string, workflowIds: readonly string[]): Promise<readonly WorkflowState[]> {
      const these = { _id: { $in: [...workflowIds] }, organizationId };
      const [found, drafts] = await Promise.all([
        workflows
          .find(these)
          .project<Pick<WorkflowRecord, '_id' | 'publishedVersion'>>({ publishedVersion: 1 })
          .toArray(),
        workflowDrafts.find(these).project<{ _id: string; revision: number }>({ revision: 1 }).toArray(),
      ]);
      const revisions = new Map(drafts.map(({ _id, revision }) => [_id, revision]));
      return found.map(({ _id, publishedVersion }) => ({
        workflowId: _id,
        revision: revisions.get(_id) ?? null,
        publishedVersion,
      }));
    },
    ...createPublishing(workflows, versions),
    /** Deletes a workflow and its parts, the workflow last, so that an interrupted delete can be repeated. Callers delete the keys. */
    async delete(tenant: Tenant, id: string): Promise<boolean> {
      const { organizationId } = tenant;
      if ((await workflows.findOne({ _id: id, ...owned(tenant) }, { projection: { _id: 1 } })) === null) return false;
      await versions.deleteOf(organizationId, id);
      await workflowDrafts.deleteOne({ _id: id, organizationId });
      await workflowEdits.deleteMany({ organizationId, workflowId: id });
      return (await workflows.deleteOne({ _id: id, ...owned(tenant) })).deletedCount === 1;
    },
  };
}

/** Workflows, their drafts with every edit, and their immutable versions. Held by test/conformance/workflow-store.ts. */
export type WorkflowStore = ReturnType<typeof createWorkflowStore>;
