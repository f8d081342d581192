import { expect, test } from 'vitest';
import { documentIntake } from '#graphs/document-intake.workflow.ts';
import { createWorkflowStore } from '#src/stores/workflows.ts';
import { workflowStoreConformance } from '#test/conformance/workflow-store.ts';
import { testDatabase } from '#test/support/database.ts';

workflowStoreConformance('the database', async () => {
  const database = await testDatabase();
  return {
    store: createWorkflowStore(database.collections),
    elsewhere: createWorkflowStore(database.connect().collections),
    close: () => database.close(),
  };
});

test('an edit that was logged before its successor could be saved is told once', async () => {
  const database = await testDatabase();
  const { graph, graphHash } = documentIntake;
  const lastEdit = { revision: 1, operations: [], author: 'a', surface: 'mcp', note: null, at: new Date() } as const;
  const its = { organizationId: 'org_a', projectId: 'prj_a' };
  const row = { ...lastEdit, operations: '[]', organizationId: 'org_a', workflowId: 'wf_a' };
  await database.collections.workflowDrafts.insertOne({
    ...its,
    _id: 'wf_a',
    revision: 1,
    graph: JSON.stringify(graph),
    graphHash,
    lastEdit: { ...lastEdit, operations: '[]' },
  });
  await database.collections.workflowEdits.insertOne({ ...row, _id: 'wf_a@1' });
  const store = createWorkflowStore(database.collections);
  expect(await store.editsSince('org_a', 'wf_a', 0, 10)).toEqual([lastEdit]);
  const next = { ...its, _id: 'wf_a', revision: 2, graph, graphHash, lastEdit: { ...lastEdit, revision: 2 } };
  expect(await store.saveDraft(next)).toBe(true);
  expect((await store.editsSince('org_a', 'wf_a', 0, 10)).map(({ revision }) => revision)).toEqual([1, 2]);
  await database.close();
});

test('a version from before there were drafts is read: graph as an object, createdBy and createdAt', async () => {
  const database = await testDatabase();
  const { graph, graphHash } = documentIntake;
  const createdAt = new Date();
  const its = { organizationId: 'org_a', workflowId: 'wf_a', version: 1, graphHash };
  await database.collections.workflowVersions.insertOne({ ...its, _id: 'wf_a@1', graph, createdAt, createdBy: 'code' });
  const store = createWorkflowStore(database.collections);
  const told = { ...its, author: 'code', surface: 'code', note: null, at: createdAt, fromRevision: null };
  expect(await store.findVersion('org_a', 'wf_a', 1)).toMatchObject({ ...told, graph });
  expect(await store.listVersions('org_a', 'wf_a', null, 5)).toMatchObject([told]);
  await database.close();
});
