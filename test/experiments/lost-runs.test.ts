import { expect, test } from 'vitest';
import { openModelLab } from '#test/experiments/support/model-lab.ts';

test('a confirmation whose model refused the key gives no verdict, and its gate stays shut', async () => {
  await using lab = await openModelLab({ held: 100, dev: 5 });
  lab.cast(() => ({ status: 401, body: '{"error":{"message":"bad key"}}' }));
  const got = await lab.compared();
  expect(got).toMatchObject({ verdict: 'no_verdict', runs: { done: 200, failed: 200 } });
  expect(got.sentence).toContain('200 of 200 runs failed: the model refused the key');
  const refused = await lab.publish();
  expect(refused).toMatchObject({ status: 409, body: { code: 'workflow.gate_unmet' } });
  expect(refused.body.detail).toContain('the model refused the key');
}, 120_000);
