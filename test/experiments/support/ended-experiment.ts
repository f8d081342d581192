import type { TestApp } from '#test/support/test-app.ts';

/** The experiment, once it is over. */
export async function endedExperiment(app: TestApp, cookie: string, experimentId: string): Promise<any> {
  for (;;) {
    const { body } = await app.call('GET', `/api/dashboard/experiments/${experimentId}?wait=25`, { cookie });
    if (body.status !== 'running') return body;
  }
}
