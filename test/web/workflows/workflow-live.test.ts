import { expect } from 'vitest';
import { dashboardWorkflows } from '#src/contracts/dashboard/workflows.ts';
import { RealtimeFrame } from '#src/contracts/streams/event-frames.ts';
import { replyOf } from '#test/spec/support/replies.ts';
import { sharedApp } from '#test/spec/support/shared-app.ts';
import { dashboardClient } from '#test/support/dashboard/dashboard-client.ts';
import { listenTo, type Told } from '#test/support/dashboard/realtime-client.ts';
import { verifies } from '#test/support/verifies.ts';
import { QueryClient } from '@tanstack/react-query';
import { applier } from '#web/live/apply.ts';

const app = await sharedApp();
const operator = await dashboardClient(app);
const workflows = '/api/dashboard/workflows';

/** Settles when the cache calls `key` old. */
function old(client: QueryClient, key: readonly string[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = client.getQueryCache().subscribe(({ type, query }) => {
    if (type !== 'updated' || query.queryKey.join() !== key.join() || !query.state.isInvalidated) return;
    stop();
    resolve();
  });
  return promise;
}

verifies('realtime.workflow_changed', async () => {
  using feed = await listenTo(new URL('/api/dashboard/realtime', app.addresses.api), { cookie: operator.cookie });
  await feed.until(({ lastId }) => lastId !== '');
  const made = replyOf(dashboardWorkflows.create, await operator.post(workflows, { preset: 'wf_document_intake' }));
  const { workflowId } = made;
  const address = `${workflows}/${workflowId}`;
  const edit = (baseVersion: number, description: string, dryRun = false) =>
    operator.post(`${address}/operations`, {
      baseVersion,
      dryRun,
      operations: [{ op: 'set_metadata', description }],
    });
  const edited = replyOf(dashboardWorkflows.edit, await edit(made.revision, 'Second'));
  // Neither a dry run nor a refused edit changes anything.
  expect((await edit(edited.revision, 'Third', true)).status).toBe(200);
  expect((await edit(made.revision, 'Late')).status).toBe(409);
  const publish = { baseVersion: edited.revision };
  const published = replyOf(dashboardWorkflows.publish, await operator.post(`${address}/publish`, publish));
  const restored = replyOf(
    dashboardWorkflows.restore,
    await operator.post(`${address}/restore`, { version: published.version, baseVersion: edited.revision }),
  );
  await app.call('DELETE', address, { cookie: operator.cookie });
  const isOurs = ({ event, data }: Told) => event === 'workflow.changed' && data.workflowId === workflowId;
  await feed.event((told) => isOurs(told) && told.data.revision === null);
  const told = feed.told.filter(isOurs).map(({ data }) => RealtimeFrame.parse(data));
  const by = expect.stringMatching(/^usr_/);
  expect(told).toMatchObject([
    { revision: 1, publishedVersion: null, by },
    { revision: edited.revision, publishedVersion: null, by },
    { revision: edited.revision, publishedVersion: published.version, by },
    { revision: restored.revision, publishedVersion: published.version, by },
    { revision: null, publishedVersion: published.version, by },
  ]);

  const pages = new QueryClient();
  const list = ['workflows', 'list'];
  pages.setQueryData(list, {});
  pages.setQueryData(['records', 'list'], {});
  const isOld = old(pages, list);
  const apply = applier(pages);
  for (const { event, data } of feed.told.filter(isOurs)) apply({ ...data, type: event });
  await isOld;
  expect(pages.getQueryState(['records', 'list'])?.isInvalidated).toBe(false);
});
