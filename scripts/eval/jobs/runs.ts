import { fact, type Facts, type Job } from '#scripts/eval/job.ts';
import { newId } from '#src/domain/ids.ts';
import { askingGraph, inARow, modelOnlyGraph, wordGraph } from '#scripts/eval/jobs/graphs.ts';
import type { EvalWorld } from '#scripts/eval/world.ts';

/** Outputs of an execution, by document. */
async function outputsOf(world: EvalWorld, executionId: string): Promise<readonly Record<string, unknown>[]> {
  const { results } = await world.use<{
    results: { documents: { runs: { outputs?: Record<string, unknown> }[] }[] };
  }>('get_run', { executionId, include: ['outputs'] });
  return results.documents.map(({ runs: [run] }) => run?.outputs ?? {});
}

async function variants(world: EvalWorld, count: number): Promise<Facts> {
  const [first, second, documents] = await Promise.all([
    world.publish(wordGraph('Grades, as they are', '"plain"')),
    world.publish(wordGraph('Grades, as proposed', 'visits > 0 ? "bold" : "plain"')),
    world.tinyDocuments(count),
  ]);
  return { first, second, documents: documents.join(', '), count: String(count) };
}

function comparison(count: number): Job {
  return {
    name: `two-variants-over-${count}`,
    task: 'Run the workflows {first} and {second} over the documents {documents}. Answer with the name of the output that differs between the two, and for how many documents.',
    prepare: (world) => variants(world, count),
    async check(world, facts, answer) {
      for (const name of ['first', 'second']) {
        const runs = await world.runsOf({ workflowId: fact(facts, name), status: 'succeeded' });
        if (runs.length !== count) return `${runs.length} of ${count} runs of the ${name} workflow`;
      }
      return /\bgrade\b/.test(answer) && new RegExp(`\\b${count}\\b`).test(answer) ? null : `answer: ${answer}`;
    },
  };
}

async function asking(world: EvalWorld, count: number): Promise<Facts> {
  const workflowId = await world.publish(askingGraph('Completeness'));
  const executionId = await world.run(workflowId, await world.tinyDocuments(count));
  return { workflowId, executionId };
}

async function areAnswered(world: EvalWorld, facts: Facts, answer: string): Promise<string | null> {
  await world.at.app.idle();
  const given = (await outputsOf(world, fact(facts, 'executionId'))).map(({ verdict }) => verdict);
  return given.every((one) => one === answer) ? null : `answers are ${given.join(', ')}`;
}

/** Runs workflows, answers their questions and reads their results. */
export const runJobs: readonly Job[] = [
  comparison(8),
  comparison(100),
  {
    name: 'classify-extract-review',
    task: 'Create and publish a workflow with the name "{name}" that reads the text of a document, classifies it as invoice, receipt or memo, extracts the total, and asks a person to approve it with yes or no. Its outputs are the classification, the fields and the answer. Run it over the documents {documents}, answer every question with yes, and answer with the label of each document.',
    async prepare(world) {
      const files = ['receipt.jpg', 'invoice.pdf', 'note.gif'];
      const documents = await Promise.all(files.map((file) => world.readDocument(file)));
      return { name: `Approval ${newId('request').slice(-6)}`, documents: documents.join(', ') };
    },
    async check(world, facts, answer) {
      const name = fact(facts, 'name');
      const { workflows } = await world.use<{ workflows: { workflowId: string }[] }>('list_workflows', { name });
      const [made] = workflows;
      if (made === undefined) return 'there is no such workflow';
      const documents = fact(facts, 'documents').split(', ');
      const runs = await world.runsOf({ workflowId: made.workflowId, status: 'succeeded' });
      if (documents.some((id) => !runs.some(({ documentId }) => documentId === id))) return 'not all runs succeeded';
      const [run] = runs;
      const kept = JSON.stringify(await outputsOf(world, run?.executionId ?? ''));
      if (!kept.includes('"label"') || !kept.includes('yes') || !kept.includes('total')) return `outputs: ${kept}`;
      return ['invoice', 'receipt', 'memo'].every((label) => answer.includes(label)) ? null : `answer: ${answer}`;
    },
  },
  {
    name: 'run-a-draft',
    task: 'Run the draft of workflow {workflowId} over document {documentId} without publishing it. Answer with the grade that it gives.',
    async prepare(world) {
      const { workflowId } = await world.draft(wordGraph('Tried first', '"ochre"'));
      const [documentId = ''] = await world.tinyDocuments(1);
      return { workflowId, documentId };
    },
    async check(world, facts, answer) {
      const runs = await world.runsOf({ workflowId: fact(facts, 'workflowId'), drafts: true });
      return runs.some(({ status }) => status === 'succeeded') && answer.includes('ochre') ? null : `answer: ${answer}`;
    },
  },
  {
    name: 'try-one-node',
    task: 'In the draft of workflow {workflowId}, what does the node second write for document {documentId} if the channel word is "left"? Try that node alone, and answer with the value.',
    async prepare(world) {
      const set = (value: string) => ({ type: 'transform', config: { set: { out: value } } });
      const { workflowId } = await world.draft({
        name: 'Two nodes',
        state: { word: { default: 'right' }, out: {} },
        nodes: { first: set('"-"'), second: set('word + "-handed"') },
        edges: inARow('first', 'second'),
        outputs: { out: 'out' },
      });
      const [documentId = ''] = await world.tinyDocuments(1);
      return { workflowId, documentId };
    },
    check: async (_world, _facts, answer) => (answer.includes('left-handed') ? null : `answer: ${answer}`),
  },
  {
    name: 'answer-a-question',
    task: 'A run of workflow {workflowId} waits for an answer. Answer it with "yes".',
    prepare: (world) => asking(world, 1),
    check: (world, facts) => areAnswered(world, facts, 'yes'),
  },
  {
    name: 'answer-many-questions',
    task: 'Several runs of workflow {workflowId} wait for an answer. Answer all of them with "no".',
    prepare: (world) => asking(world, 6),
    check: (world, facts) => areAnswered(world, facts, 'no'),
  },
  {
    name: 'cancel-an-execution',
    task: 'Cancel the execution {executionId}.',
    prepare: (world) => asking(world, 3),
    async check(world, facts) {
      const runs = await world.runsOf({ executionId: fact(facts, 'executionId') });
      return runs.every(({ status }) => status === 'canceled') ? null : 'not all of its runs are canceled';
    },
  },
  {
    name: 'repeat-what-failed',
    task: 'Execution {executionId} failed. Its workflow has been corrected and published since. Run the failed documents of the execution again with the newest version.',
    async prepare(world) {
      const workflowId = await world.publish(modelOnlyGraph('Corrected since'));
      const executionId = await world.run(workflowId, await world.tinyDocuments(2));
      const operations = [{ op: 'set_field', path: '/nodes/sort/config/engine', value: 'rules' }];
      await world.use('update_workflow', { workflowId, baseVersion: 1, operations });
      await world.use('publish_workflow', { workflowId, baseVersion: 2 });
      return { workflowId, executionId };
    },
    async check(world, facts) {
      await world.at.app.idle();
      const runs = await world.runsOf({ workflowId: fact(facts, 'workflowId'), status: 'succeeded' });
      return runs.length === 2 ? null : `${runs.length} runs succeeded`;
    },
  },
  {
    name: 'name-the-failing-node',
    task: 'Which node of workflow {workflowId} failed in its last run, and with which error code? Answer with both.',
    async prepare(world) {
      const workflowId = await world.publish(modelOnlyGraph('Fails'));
      await world.run(workflowId, await world.tinyDocuments(1));
      return { workflowId };
    },
    check: async (_world, _facts, answer) =>
      /\bsort\b/.test(answer) && answer.includes('model.unavailable') ? null : `answer: ${answer}`,
  },
  {
    name: 'verify-a-receipt',
    task: 'Verify the receipt of the last run of workflow {workflowId}. Answer with its hash if it is valid.',
    async prepare(world) {
      const workflowId = await world.publish(wordGraph('Signed', '"a"'));
      await world.run(workflowId, await world.tinyDocuments(1));
      return { workflowId };
    },
    async check(world, facts, answer) {
      const [run] = await world.runsOf({ workflowId: fact(facts, 'workflowId') });
      const { run: read } = await world.use<{ run: { receiptCheck: { hash: string } } }>('get_run', {
        runId: run?.runId,
        include: ['receiptCheck'],
      });
      return answer.includes(read.receiptCheck.hash) ? null : 'the answer lacks the hash';
    },
  },
];
