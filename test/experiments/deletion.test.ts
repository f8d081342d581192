import { afterAll, beforeAll, expect, test } from 'vitest';
import { experimentOf } from '#test/stores/support/ask-experiments.ts';
import { storesOf, testDatabase, type Stores, type TestDatabase } from '#test/support/database.ts';

const secret = 'Zirkelschmiede';
const place = { organizationId: 'org_gone', projectId: 'prj_gone' };

let database: TestDatabase;
/** Two processes: the first deletes, the second has the dataset in its cache. */
let deleting: Stores;
let other: Stores;

beforeAll(async () => {
  database = await testDatabase();
  [deleting, other] = [storesOf(database.client), storesOf(database.client)];
});
afterAll(() => database.close());

test('a deleted document leaves no word in datasets and experiments, in any process, and its tags and scores stay', async () => {
  const { dataset, version, experiment, cell } = experimentOf(place, 'doc_gone', secret);
  const [item] = version.items;
  if (item === undefined) throw new Error('no item');
  const stays = { ...item, documentId: 'doc_stays', reference: { text: 'stays' } };
  await deleting.datasets.save({ ...dataset, name: 'n', description: '' }, { ...version, items: [item, stays] });
  await deleting.experiments.insert({ ...experiment, name: 'n' }, new Map([['v', { schemaVersion: 1 } as never]]));
  await deleting.experiments.saveCell(cell);
  expect(JSON.stringify(await other.datasets.findVersion(place.organizationId, dataset._id, 1))).toContain(secret);

  await deleting.traces.redact(place.organizationId, 'doc_gone');

  for (const { datasets } of [deleting, other])
    expect((await datasets.findVersion(place.organizationId, dataset._id, 1))?.items).toEqual([
      { ...item, reference: null, blockHash: null },
      stays,
    ]);
  const [left] = await other.experiments.cells(place.organizationId, experiment._id);
  expect(left).toMatchObject({
    outputText: '',
    error: null,
    scores: { cer: { value: 0.5, quality: 0.5, note: null } },
  });
  for (const [name, collection] of Object.entries(database.collections))
    expect(JSON.stringify(await collection.find({}).toArray()), name).not.toContain(secret);
});

test('two documents of one version that are deleted at the same time both lose their references', async () => {
  const { dataset, version } = experimentOf({ ...place, organizationId: 'org_both' }, 'doc_0', secret);
  const [item] = version.items;
  if (item === undefined) throw new Error('no item');
  const ids = Array.from({ length: 4 }, (_, at) => `doc_${at}`);
  await deleting.datasets.save(dataset, { ...version, items: ids.map((documentId) => ({ ...item, documentId })) });
  await Promise.all(ids.map((id) => deleting.traces.redact('org_both', id)));
  const found = await deleting.datasets.findVersion('org_both', dataset._id, 1);
  expect(found?.items.map(({ reference }) => reference)).toEqual([null, null, null, null]);
});
