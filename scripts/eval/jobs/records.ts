import { fact, type Facts, type Job } from '#scripts/eval/job.ts';
import type { EvalWorld } from '#scripts/eval/world.ts';

interface ListedRecord {
  readonly recordId: string;
  readonly status: string;
  readonly [field: string]: unknown;
}

async function recordOf(world: EvalWorld, documentId: string): Promise<ListedRecord | undefined> {
  return (await world.use<{ records: ListedRecord[] }>('query_records', { documentId })).records[0];
}

async function receiptRecord(world: EvalWorld): Promise<Facts> {
  const documentId = await world.storedDocument('receipt.jpg');
  await world.run('wf_receipt_extraction', [documentId]);
  const record = await recordOf(world, documentId);
  if (record === undefined) throw new Error('the workflow stored no record');
  return { documentId };
}

/** Works with records, datasets and keys. */
export const recordJobs: readonly Job[] = [
  {
    name: 'read-a-record',
    task: 'Answer with the total of the record that is stored of document {documentId}.',
    prepare: receiptRecord,
    check: async (_world, _facts, answer) => (/29[.,]41/.test(answer) ? null : `answer: ${answer}`),
  },
  {
    name: 'correct-a-record',
    task: 'The merchant in the record of document {documentId} must be "Pepper & Corn". Correct it.',
    prepare: receiptRecord,
    async check(world, facts) {
      const record = await recordOf(world, fact(facts, 'documentId'));
      if (record?.status !== 'confirmed') return `the record is ${record?.status}`;
      return JSON.stringify(record).includes('Pepper & Corn') ? null : 'the merchant is another one';
    },
  },
  {
    name: 'save-a-dataset',
    task: 'Save a dataset with the name "{name}" of the documents {documents}. The right label of each is "receipt". Answer with the id of the dataset.',
    async prepare(world) {
      const documents = await world.tinyDocuments(4);
      return { name: `Labelled ${documents[0]?.slice(-6)}`, documents: documents.join(', ') };
    },
    async check(world, facts, answer) {
      const datasetId = /ds_\w+/.exec(answer)?.[0];
      if (datasetId === undefined) return `answer: ${answer}`;
      const dataset = await world.use<{ name: string; counts: object }>('get_dataset', { datasetId });
      return dataset.name === fact(facts, 'name') ? null : `the dataset is ${dataset.name}`;
    },
  },
  {
    name: 'create-a-key',
    task: 'Create a service key with the name "{name}" that expires after 30 days.',
    prepare: async (world) => ({ name: `Export ${(await world.tinyDocuments(1))[0]?.slice(-6)}` }),
    async check(world, facts) {
      const { keys } = await world.use<{ keys: { name: string; expiresAt: string | null }[] }>('list_api_keys', {});
      const made = keys.find(({ name }) => name === fact(facts, 'name'));
      if (made === undefined) return 'there is no such key';
      return made.expiresAt === null ? 'it does not expire' : null;
    },
  },
];
