import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRunResults } from '#app/agents/results/run-results.ts';
import type { ResultStore } from '#src/stores/results.ts';
import { storesOf, testDatabase, type Stores, type TestDatabase } from '#test/support/database.ts';
import { documentRecord } from '#test/support/records.ts';

let database: TestDatabase;
let stores: Stores;
beforeAll(async () => {
  database = await testDatabase();
  stores = storesOf(database.client);
});
afterAll(() => database.close());

const organizationId = 'org_a';
const modelLabel = 'test';
const page = { engine: 'test', language: 'eng', pages: [] };

/** The store, with the ids that were read from the database. */
function watched(): { results: ResultStore; read: string[] } {
  const read: string[] = [];
  const watching =
    <Result>(name: string, of: (organization: string, id: string) => Promise<Result>) =>
    (organization: string, id: string): Promise<Result> => {
      read.push(name);
      return of(organization, id);
    };
  const { results } = stores;
  return {
    results: {
      ...results,
      ocrText: watching('text', results.ocrText),
      descriptionById: watching('description', results.descriptionById),
      embeddingById: watching('embedding', results.embeddingById),
    },
    read,
  };
}

async function saveAll(results: ResultStore) {
  const document = documentRecord({ organizationId });
  await stores.documents.insert(document);
  const { projectId, _id: documentId } = document;
  const origin = { organizationId, projectId, documentId, runId: `run_${documentId}`, nodeId: 'node' };
  const value = { title: 'a', description: 'b', language: 'en', documentType: '', keyFields: [], tags: [] };
  const usage = { provider: 'test', model: 'test', ms: 1 };
  return {
    text: await results.saveOcr(origin, { modelLabel, text: 'read', avgConfidence: 1, result: page }),
    description: await results.saveDescription(origin, { modelLabel, value, usage }),
    embedding: await results.saveEmbedding(origin, { kind: 'text', modelLabel, vector: new Float32Array([0.5, 1]) }),
  };
}

test('nodes read what their run stored without asking the database, as the database has it', async () => {
  const { results, read } = watched();
  const ofRun = createRunResults(results);
  const { text, description, embedding } = await saveAll(ofRun);
  const all = async (from: ResultStore) => [
    await from.ocrText(organizationId, text.ocrResultId),
    await from.descriptionById(organizationId, description.descriptionId),
    await from.embeddingById(organizationId, embedding.embeddingId),
  ];
  const kept = await all(ofRun);
  expect(read).toEqual([]);
  expect(kept).toEqual(await all(stores.results));
});

test('results of earlier runs are read once, and missing ones each time', async () => {
  const { text } = await saveAll(stores.results);
  const { results, read } = watched();
  const ofRun = createRunResults(results);
  for (let time = 0; time < 3; time += 1)
    expect(await ofRun.ocrText(organizationId, text.ocrResultId)).toMatchObject({ text: 'read' });
  expect(read).toEqual(['text']);
  expect(await ofRun.descriptionById(organizationId, 'dsc_none')).toBeNull();
  expect(await ofRun.descriptionById(organizationId, 'dsc_none')).toBeNull();
  expect(read).toEqual(['text', 'description', 'description']);
});

test('a result that is larger than the limit is read again', async () => {
  const { results, read } = watched();
  const ofRun = createRunResults(results, 3);
  const { text } = await saveAll(ofRun);
  expect(await ofRun.ocrText(organizationId, text.ocrResultId)).toMatchObject({ text: 'read' });
  expect(read).toEqual(['text']);
});
