import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixture, startTestApp, type TestApp } from '#test/support/test-app.ts';

const folder = join(import.meta.dirname, '../../../scripts/inkgraph/template/graphs');
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { WORKFLOWS_DIR: folder } });
});
afterAll(() => app[Symbol.asyncDispose]());

const service = (method: string, path: string, body?: object) =>
  app.call(method, `/api/service${path}`, { key: app.seed.serviceKey, body });

describe('A folder of own code', () => {
  test('its workflow is published in every project, and runs its own nodes by its slug', async () => {
    const document = await app.store(await fixture('letter.png'), 'image/png');
    const workflow = { workflowId: 'wf_reading', documentIds: [document.id] };
    const { body: started } = await service('POST', '/workflow-executions', workflow);
    await app.app.idle();
    const { body } = await service('GET', `/workflow-executions/${started.id}`);
    const [run] = body.runs;
    expect(run).toMatchObject({ status: 'succeeded', outputs: { readingMinutes: 1 } });
    expect(run.outputs.keyPoints.length).toBeGreaterThan(0);
  });
});
