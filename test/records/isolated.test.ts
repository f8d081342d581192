import { afterAll, beforeAll, expect, test } from 'vitest';
import { Computing } from '#graphs/compute/computing.ts';
import { extract } from '#graphs/nodes/extract.ts';
import { createRecordStore } from '#src/stores/records/record-store.ts';
import { createRecordTypeStore } from '#src/stores/records/record-types.ts';
import { modelBench, run, type ModelBench } from '#test/graphs/support/model-nodes.ts';
import { pageOf } from '#test/support/records.ts';

let bench: ModelBench;
beforeAll(async () => {
  bench = await modelBench();
});
afterAll(() => bench.close());

test('A run of an experiment finds the fields of a record type, and stores no record', async () => {
  const { collections } = bench;
  await using ready = await bench.deps(null, {
    recordTypes: createRecordTypeStore(collections),
    records: createRecordStore(collections),
  });
  const state = await bench.ocr(pageOf('PEPPERCORN GROCERS LTD\nTotal EUR 12.50'));
  const params = extract.params.parse({ recordType: 'receipt' });
  const call = {
    deps: ready.deps,
    path: 'step',
    nodeId: 'step',
    state,
    params,
    secrets: [],
    signal: new AbortController().signal,
    computing: new Computing().forRun(run.organizationId).forVisit('step'),
    runWorkflow: () => Promise.reject(new Error('no node here runs a workflow')),
    openThread: (): never => expect.unreachable('no node here has a thread'),
  };
  const apart = await extract.run({ ...call, run: { ...run, isolated: true } });
  expect(apart.update['fields']).toMatchObject({ total: { value: { amount: 12.5 } } });
  expect(apart.update['fields']).not.toHaveProperty('record');
  expect(await collections.records.countDocuments()).toBe(0);
  const usual = await extract.run({ ...call, run });
  expect(usual.update['fields']).toMatchObject({ record: { status: 'proposed' } });
  expect(await collections.records.countDocuments()).toBe(1);
});
