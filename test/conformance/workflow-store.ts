import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { documentIntake } from '#graphs/document-intake.workflow.ts';
import { graphHash } from '#graphs/hash.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import { canonicalJson } from '#src/domain/canonical-json.ts';
import { newId } from '#src/domain/ids.ts';
import {
  nextVersion,
  readTool,
  type WorkflowDraftRecord,
  type WorkflowRecord,
  type WorkflowVersionRecord,
} from '#src/domain/runs/workflow.ts';
import { freshTenant } from '#test/support/records.ts';
import type { WorkflowStore } from '#src/stores/workflows.ts';

export interface WorkflowStoreUnderTest {
  readonly store: WorkflowStore;
  /** Another process on the same data. */
  readonly elsewhere: WorkflowStore;
  close(): Promise<void>;
}

const named = (name: string): StoredGraph => ({ ...documentIntake.graph, name });
const by = { author: 'key_a', surface: 'mcp', note: null } as const;

function parts(tenant = freshTenant()) {
  const { organizationId, projectIds } = tenant;
  const [projectId] = projectIds;
  const _id = newId('workflow');
  const now = new Date();
  const workflow: WorkflowRecord = {
    _id,
    schemaVersion: 1,
    organizationId,
    projectId,
    name: 'One',
    description: '',
    source: 'stored',
    codeName: null,
    publishedVersion: null,
    publishedHash: null,
    createdAt: now,
    updatedAt: now,
  };
  const draftOf = (revision: number, graph: StoredGraph): WorkflowDraftRecord => ({
    _id,
    organizationId,
    projectId,
    revision,
    graph,
    graphHash: graphHash(graph),
    lastEdit: {
      ...by,
      revision,
      at: new Date(),
      operations: revision === 1 ? [] : [{ op: 'set_metadata', name: graph.name }],
    },
  });
  const versionOf = (version: number, graph: StoredGraph): WorkflowVersionRecord => ({
    ...by,
    _id: `${_id}@${version}`,
    organizationId,
    workflowId: _id,
    version,
    graphHash: graphHash(graph),
    graph,
    fromRevision: 1,
    at: new Date(),
  });
  return { tenant, organizationId, id: _id, workflow, draftOf, versionOf };
}

/** The promise of `WorkflowStore`, for every adapter. */
export function workflowStoreConformance(name: string, make: () => Promise<WorkflowStoreUnderTest>): void {
  describe(`${name} as a WorkflowStore`, () => {
    let subject: WorkflowStoreUnderTest;
    beforeAll(async () => {
      subject = await make();
    });
    afterAll(() => subject.close());

    drafts(() => subject);
    versions(() => subject);
    lists(() => subject);
  });
}

function drafts(subject: () => WorkflowStoreUnderTest): void {
  test('a draft comes back as it was saved, whatever is in it', async () => {
    const { store } = subject();
    const { organizationId, id, workflow, draftOf } = parts();
    const graph = named('Odd');
    const config = JSON.parse(
      '{"$expr":"a","a.b":{"$ref":"#/x","$id":"y"},"_bsontype":"ObjectId","text":"\\ud800\\u0000","n":1.0,"big":9007199254740991}',
    ) as Record<string, unknown>;
    const odd = {
      ...graph,
      nodes: { ...graph.nodes, odd: { ...graph.nodes['index'], type: 'x', config } },
    } as StoredGraph;
    await store.insert(workflow, { draft: draftOf(1, odd) });
    const found = await store.findDraft(organizationId, id);
    expect(canonicalJson(found?.graph)).toBe(canonicalJson(odd));
    expect(found && graphHash(found.graph)).toBe(found?.graphHash);
    expect(await store.findDraft('org_other', id)).toBeNull();
  });

  test('of two that save the same revision one wins, and the log has every edit once', async () => {
    const { store, elsewhere } = subject();
    const { organizationId, id, workflow, draftOf } = parts();
    await store.insert(workflow, { draft: draftOf(1, named('1')) });
    for (let revision = 2; revision <= 6; revision += 1) {
      const saved = await Promise.all(
        [store, elsewhere, store].map((one) => one.saveDraft(draftOf(revision, named(`${revision}`)))),
      );
      expect(saved.filter(Boolean)).toHaveLength(1);
    }
    expect(await store.saveDraft(draftOf(9, named('9')))).toBe(false);
    const edits = await elsewhere.editsSince(organizationId, id, 0, 100);
    expect(edits.map(({ revision }) => revision)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(edits.at(-1)).toMatchObject({ ...by, operations: [{ op: 'set_metadata', name: '6' }] });
    expect((await store.editsSince(organizationId, id, 4, 100)).map(({ revision }) => revision)).toEqual([5, 6]);
    expect((await store.editsSince(organizationId, id, 1, 2)).map(({ revision }) => revision)).toEqual([2, 3]);
    expect(await store.editsSince(organizationId, id, 6, 100)).toEqual([]);
    expect(await store.editsSince('org_other', id, 0, 100)).toEqual([]);
  });

  test('a workflow has the name of its draft until a version is published, then that of the version', async () => {
    const { store } = subject();
    const { tenant, id, workflow, draftOf, versionOf } = parts();
    await store.insert(workflow, { draft: draftOf(1, named('One')) });
    await store.saveDraft(draftOf(2, named('Two')));
    expect(await store.find(tenant, id)).toMatchObject({ name: 'Two', publishedVersion: null });
    expect(await store.publish(workflow, versionOf(1, named('Two')))).toBe(true);
    await store.saveDraft(draftOf(3, named('Three')));
    expect(await store.find(tenant, id)).toMatchObject({ name: 'Two', publishedVersion: 1 });
  });

  test('a workflow is a tool while its published version says so, and for its tenant alone', async () => {
    const { store } = subject();
    const { tenant, id, workflow, draftOf, versionOf } = parts();
    const tool = { name: 'do_it', description: 'Does it.', input: { type: 'object', $defs: { a: { $ref: '#' } } } };
    await store.insert(workflow, { draft: draftOf(1, { ...named('One'), tool }) });
    expect(await store.listTools(tenant, 5)).toEqual([]);
    await store.publish(workflow, versionOf(1, { ...named('One'), tool }));
    const [found, ...more] = await store.listTools(tenant, 5);
    expect(found?.tool && [found._id, readTool(found.tool), more]).toEqual([id, tool, []]);
    expect(await store.listTools({ ...tenant, organizationId: 'org_other' }, 5)).toEqual([]);
    expect(await store.listTools({ ...tenant, projectIds: ['prj_other'] }, 5)).toEqual([]);
    await store.publish(workflow, versionOf(2, named('One')));
    expect(await store.listTools(tenant, 5)).toEqual([]);
    expect(await store.find(tenant, id)).not.toHaveProperty('tool');
  });
}

function versions(subject: () => WorkflowStoreUnderTest): void {
  test('a number is published once: the same graph again is fine, another one is not', async () => {
    const { store, elsewhere } = subject();
    const { tenant, organizationId, id, workflow, versionOf } = parts();
    await store.insert(workflow, { version: versionOf(1, named('A')) });
    const [a, b] = await Promise.all([
      store.publish(workflow, versionOf(2, named('B'))),
      elsewhere.publish(workflow, versionOf(2, named('C'))),
    ]);
    expect([a, b].filter(Boolean)).toHaveLength(1);
    const winner = a ? 'B' : 'C';
    expect(await store.publish(workflow, versionOf(2, named(winner)))).toBe(true);
    expect(await store.find(tenant, id)).toMatchObject({ name: winner, publishedVersion: 2 });
    expect((await store.findVersion(organizationId, id, 2))?.graph.name).toBe(winner);
    expect(await store.findVersion('org_other', id, 2)).toBeNull();
  });

  test('a late publish does not replace a newer version', async () => {
    const { store } = subject();
    const { tenant, organizationId, id, workflow, versionOf } = parts();
    await store.insert(workflow, { version: versionOf(1, named('A')) });
    await store.publish(workflow, versionOf(3, named('C')));
    await store.publish(workflow, versionOf(2, named('B')));
    expect(await store.find(tenant, id)).toMatchObject({ name: 'C', publishedVersion: 3 });
    const listed = await store.listVersions(organizationId, id, null, 2);
    expect(listed.map(({ version }) => version)).toEqual([3, 2]);
    expect(listed[0]).not.toHaveProperty('graph');
    expect((await store.listVersions(organizationId, id, 2, 5)).map(({ version }) => version)).toEqual([1]);
    expect(await store.listVersions('org_other', id, null, 5)).toEqual([]);
  });

  test('a version left by a process that died is taken up by the same graph and passed over by another', async () => {
    const { store } = subject();
    const { workflow, versionOf } = parts();
    const left = versionOf(1, named('Left'));
    await store.insert(workflow, { version: left });
    const [newest] = await store.listVersions(workflow.organizationId, workflow._id, null, 1);
    expect(nextVersion(workflow, newest, left.graphHash)).toBe(1);
    expect(nextVersion(workflow, newest, 'another')).toBe(2);
    expect(nextVersion({ ...workflow, publishedVersion: 1 }, newest, left.graphHash)).toBe(2);
  });

  test('says where drafts and versions stand, of the organization only', async () => {
    const { store } = subject();
    const tenant = freshTenant();
    const [drafted, published] = [parts(tenant), parts(tenant)];
    const { organizationId } = drafted;
    await store.insert(drafted.workflow, { draft: drafted.draftOf(1, named('A')) });
    await store.saveDraft(drafted.draftOf(2, named('B')));
    await store.insert({ ...published.workflow, publishedVersion: 1 }, { version: published.versionOf(1, named('C')) });
    const ids = [drafted.id, published.id, 'wf_none'];
    const states = await store.states(organizationId, ids);
    expect(states.toSorted((a, b) => ids.indexOf(a.workflowId) - ids.indexOf(b.workflowId))).toEqual([
      { workflowId: drafted.id, revision: 2, publishedVersion: null },
      { workflowId: published.id, revision: null, publishedVersion: 1 },
    ]);
    expect(await store.states('org_other', ids)).toEqual([]);
  });

  test('deleting takes drafts, edits and versions along, of the owner only', async () => {
    const { store } = subject();
    const { tenant, organizationId, id, workflow, draftOf, versionOf } = parts();
    await store.insert(workflow, { version: versionOf(1, named('A')), draft: draftOf(1, named('A')) });
    await store.saveDraft(draftOf(2, named('B')));
    expect(await store.delete({ ...tenant, projectIds: ['prj_other'] }, id)).toBe(false);
    expect(await store.findVersion(organizationId, id, 1)).not.toBeNull();
    expect(await store.delete(tenant, id)).toBe(true);
    expect([
      await store.find(tenant, id),
      await store.findDraft(organizationId, id),
      await store.findVersion(organizationId, id, 1),
      await store.listVersions(organizationId, id, null, 5),
      await store.editsSince(organizationId, id, 0, 5),
    ]).toEqual([null, null, null, [], []]);
    expect(await store.delete(tenant, id)).toBe(false);
  });
}

function lists(subject: () => WorkflowStoreUnderTest): void {
  test('lists all, newest first and page by page, and the published ones apart', async () => {
    const { store } = subject();
    const tenant = freshTenant();
    const made = Array.from({ length: 5 }, () => parts(tenant));
    for (const { workflow, draftOf } of made) await store.insert(workflow, { draft: draftOf(1, named('One')) });
    const ids: string[] = [];
    for (let after = null; ;) {
      const page: readonly WorkflowRecord[] = await store.list(tenant, after, 2);
      ids.push(...page.map(({ _id }) => _id));
      const last = page.at(-1);
      if (last === undefined) break;
      after = { createdAt: last.createdAt, id: last._id };
    }
    expect(new Set(ids)).toEqual(new Set(made.map(({ id }) => id)));
    expect(ids).toHaveLength(5);
    expect(await store.listPublished(tenant)).toEqual([]);
    const [first] = made;
    if (first !== undefined) await store.publish(first.workflow, first.versionOf(1, named('One')));
    expect((await store.listPublished(tenant)).map(({ _id }) => _id)).toEqual([first?.id]);
  });
}
