import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createOrganizationStore } from '#src/stores/organizations.ts';
import { createWorkflowStore } from '#src/stores/workflows.ts';
import { addCodeWorkflow, publishCodeWorkflows } from '#app/agents/publish-code-workflows.ts';
import type { CodeWorkflow } from '#graphs/build.ts';
import { productCode } from '#graphs/code/code.ts';
import { documentIntake } from '#graphs/document-intake.workflow.ts';
import { graphHash } from '#graphs/hash.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { freshTenant } from '#test/support/records.ts';

let database: TestDatabase;
let workflows: ReturnType<typeof createWorkflowStore>;
let organizations: ReturnType<typeof createOrganizationStore>;
beforeAll(async () => {
  database = await testDatabase();
  workflows = createWorkflowStore(database.collections);
  organizations = createOrganizationStore(database.collections);
});
afterAll(() => database.close());

/** The workflow in code as an earlier program had it. */
function earlier(name: string): CodeWorkflow {
  const graph = graphOf({ a: name }, ['START>a', 'a>END']);
  return { id: documentIntake.id, graph, graphHash: graphHash(graph) };
}

const publish = (check = (): void => undefined) =>
  publishCodeWorkflows({ workflows, organizations }, productCode, check);

async function follower(code: CodeWorkflow) {
  const { organizationId, projectIds } = freshTenant();
  const workflow = await addCodeWorkflow({ workflows }, code, { organizationId, projectId: projectIds[0] });
  const now = async () => {
    const found = await workflows.find({ organizationId, projectIds }, workflow._id);
    const version = await workflows.findVersion(organizationId, workflow._id, found?.publishedVersion ?? 0);
    return { version: found?.publishedVersion, graphHash: version?.graphHash };
  };
  return { organizationId, id: workflow._id, now };
}

describe('Workflows in code', () => {
  test('are published anew when the code changed; the version before stays as it was', async () => {
    const { organizationId, id, now } = await follower(earlier('old'));
    await publish();
    expect(await now()).toEqual({ version: 2, graphHash: documentIntake.graphHash });
    expect((await workflows.findVersion(organizationId, id, 1))?.graph).toEqual(earlier('old').graph);
  });

  test('stay as they are when the code did not change, however often the program starts', async () => {
    const { now } = await follower(documentIntake);
    for (let start = 0; start < 3; start += 1) await publish();
    expect(await now()).toEqual({ version: 1, graphHash: documentIntake.graphHash });
  });

  test('become one new version when five processes start at once', async () => {
    const { organizationId, id, now } = await follower(earlier('old'));
    await Promise.all(Array.from({ length: 5 }, () => publish()));
    expect(await now()).toEqual({ version: 2, graphHash: documentIntake.graphHash });
    expect(await workflows.findVersion(organizationId, id, 3)).toBeNull();
  });

  test('follow the code in every organization, and leave other workflows alone', async () => {
    const [one, other] = [await follower(earlier('old')), await follower(earlier('older'))];
    const stranger = await follower({ ...earlier('mine'), id: 'wf_of_somebody' });
    await publish();
    for (const { now } of [one, other]) expect((await now()).graphHash).toBe(documentIntake.graphHash);
    expect(await stranger.now()).toEqual({ version: 1, graphHash: earlier('mine').graphHash });
  });

  test('are checked before they are published, and nothing of broken code is', async () => {
    const { now } = await follower(earlier('old'));
    const broken = (): void => {
      throw new Error('broken');
    };
    await expect(publish(broken)).rejects.toThrow('broken');
    expect((await now()).version).toBe(1);
    await publish();
    expect((await now()).version).toBe(2);
  });

  test('are not checked again at a start that publishes nothing', async () => {
    for (const code of productCode.workflows) await follower(code);
    await publish();
    const check = vi.fn<() => void>();
    await publish(check);
    expect(check).not.toHaveBeenCalled();
    await follower(earlier('old'));
    await publish(check);
    expect(check).toHaveBeenCalledOnce();
  });
});
