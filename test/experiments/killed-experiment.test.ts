import { expect, test } from 'vitest';
import { endedExperiment } from '#test/experiments/support/ended-experiment.ts';
import { labels, setLabel, sizedDocuments } from '#test/experiments/support/sized-documents.ts';
import { openWorkshop } from '#test/support/durable/durable-run.ts';

test('an experiment whose workers are killed twice ends with every cell once', async () => {
  await using workshop = await openWorkshop();
  const { api, stored } = workshop;
  const { workflowId, datasetId } = await sizedDocuments(api, 16, 0);
  const cookie = await api.signIn();
  const standbys = [1, 2, 3].map(() => workshop.standby());
  const started = await api.call('POST', '/api/dashboard/experiments', {
    cookie,
    body: {
      datasetId,
      trials: 2,
      maxConcurrency: 4,
      variants: [{ workflowId }, { workflowId, operations: setLabel(labels.poor) }],
    },
  });
  expect(started.status, JSON.stringify(started.body)).toBe(201);
  const { experimentId } = started.body.experiment;
  const cells = () => stored.experimentCells.countDocuments({ experimentId });
  for (const [at, standby] of standbys.entries()) {
    await using worker = await standby.start();
    if (at < 2) {
      await expect.poll(cells, { timeout: 20_000, interval: 20 }).toBeGreaterThan(16 * (at + 1));
      await worker.kill();
      await workshop.expire();
      continue;
    }
    const body = await endedExperiment(api, cookie, experimentId);
    expect(body).toMatchObject({ status: 'succeeded', stopped: 'all', verdict: 'worse', runs: { done: 64 } });
  }
  const all = await stored.experimentCells.find({ experimentId }).toArray();
  expect(new Set(all.map(({ runId }) => runId)).size).toBe(64);
  const runs = await stored.runs.find({ 'experiment.experimentId': experimentId }).toArray();
  expect(runs).toHaveLength(64);
  expect(runs.filter(({ status }) => status !== 'succeeded')).toEqual([]);
}, 90_000);
