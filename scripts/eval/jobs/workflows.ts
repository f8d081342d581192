import { newId } from '#src/domain/ids.ts';
import { fact, type Job } from '#scripts/eval/job.ts';
import { inARow, modelOnlyGraph, wordGraph } from '#scripts/eval/jobs/graphs.ts';
import type { EvalWorld } from '#scripts/eval/world.ts';

interface ShownWorkflow {
  readonly publishedVersion: number | null;
  readonly description: string;
  readonly valid: boolean;
  readonly graph: { readonly description: string; readonly nodes: Readonly<Record<string, { readonly type: string }>> };
}

const shown = (world: EvalWorld, workflowId: string, version = 'draft'): Promise<ShownWorkflow> =>
  world.use('get_workflow', { workflowId, version });

async function failingWorkflow(world: EvalWorld): Promise<{ workflowId: string; documentId: string }> {
  const workflowId = await world.publish(modelOnlyGraph('Sort incoming mail'));
  const [documentId = ''] = await world.tinyDocuments(1);
  await world.run(workflowId, [documentId]);
  return { workflowId, documentId };
}

async function isMended(world: EvalWorld, workflowId: string): Promise<string | null> {
  const [newest] = await world.runsOf({ workflowId });
  if (newest?.version !== 2) return 'no run of a second version';
  return newest.status === 'succeeded' ? null : `the run is ${newest.status}`;
}

/** Draws, mends and publishes workflows. */
export const workflowJobs: readonly Job[] = [
  {
    name: 'diagnose-and-mend',
    task: 'The last run of workflow {workflowId} failed. Find the cause, correct the workflow, publish it and run it over document {documentId} until it succeeds.',
    prepare: failingWorkflow,
    check: (world, facts) => isMended(world, fact(facts, 'workflowId')),
  },
  {
    name: 'mend-in-conflict',
    task: 'The last run of workflow {workflowId} failed. Find the cause, correct the workflow, publish it and run it over document {documentId} until it succeeds. I left the draft at baseVersion 1; a colleague edits it, too: keep those edits.',
    async prepare(world) {
      const made = await failingWorkflow(world);
      const operations = [{ op: 'set_metadata', description: 'Sorts by keywords.' }];
      await world.use('update_workflow', { workflowId: made.workflowId, baseVersion: 1, operations });
      return made;
    },
    async check(world, facts) {
      const { graph } = await shown(world, fact(facts, 'workflowId'));
      if (graph.description !== 'Sorts by keywords.') return 'the edit of the colleague is lost';
      return isMended(world, fact(facts, 'workflowId'));
    },
  },
  {
    name: 'mend-broken-draft',
    task: 'The draft of workflow {workflowId} has errors. Correct them and publish it.',
    async prepare(world) {
      const graph = { ...wordGraph('Broken', '"long"'), edges: [...inARow('rate'), { from: 'rate', to: 'archive' }] };
      return { workflowId: (await world.draft(graph)).workflowId };
    },
    async check(world, facts) {
      const { publishedVersion } = await shown(world, fact(facts, 'workflowId'));
      return publishedVersion === 1 ? null : 'it is not published';
    },
  },
  {
    name: 'publish-a-draft',
    task: 'Publish the draft of workflow {workflowId}.',
    prepare: async (world) => ({ workflowId: (await world.draft(wordGraph('Ready', '"a"'))).workflowId }),
    async check(world, facts) {
      return (await shown(world, fact(facts, 'workflowId'))).publishedVersion === 1 ? null : 'it is not published';
    },
  },
  {
    name: 'describe-a-workflow',
    task: 'Set the description of workflow {workflowId} to exactly "Grades mail." and do not publish it.',
    prepare: async (world) => ({ workflowId: (await world.draft(wordGraph('Undescribed', '"a"'))).workflowId }),
    async check(world, facts) {
      const { graph, publishedVersion } = await shown(world, fact(facts, 'workflowId'));
      if (publishedVersion !== null) return 'it is published';
      return graph.description === 'Grades mail.' ? null : `the description is "${graph.description}"`;
    },
  },
  {
    name: 'add-a-step',
    task: 'In the draft of workflow {workflowId}, add a node that asks a person "Is the grade right?" after the node rate, before the end. Do not publish it.',
    prepare: async (world) => ({ workflowId: (await world.draft(wordGraph('Without review', '"a"'))).workflowId }),
    async check(world, facts) {
      const { graph, valid } = await shown(world, fact(facts, 'workflowId'));
      if (!valid) return 'the draft has errors';
      return Object.values(graph.nodes).some(({ type }) => type === 'review') ? null : 'there is no review';
    },
  },
  {
    name: 'create-a-workflow',
    task: 'Create and publish a workflow with the name "{name}" that decodes the document and reads its text.',
    prepare: async () => ({ name: `Plain reading ${newId('request').slice(-6)}` }),
    async check(world, facts) {
      const { workflows } = await world.use<{ workflows: { workflowId: string; publishedVersion: number | null }[] }>(
        'list_workflows',
        { name: fact(facts, 'name') },
      );
      const made = workflows.find(({ publishedVersion }) => publishedVersion !== null);
      if (made === undefined) return 'no such workflow is published';
      const { graph } = await shown(world, made.workflowId, 'published');
      const types = Object.values(graph.nodes).map(({ type }) => type);
      return types.includes('ocr') && types.includes('load_image') ? null : `it has only ${types.join(', ')}`;
    },
  },
  {
    name: 'restore-a-version',
    task: 'Set the draft of workflow {workflowId} back to version 1 and publish it.',
    async prepare(world) {
      const { workflowId } = await twoVersions(world);
      return { workflowId };
    },
    async check(world, facts) {
      const { graph } = await world.use<{ graph: object }>('get_workflow', {
        workflowId: fact(facts, 'workflowId'),
        version: 'published',
      });
      return JSON.stringify(graph).includes('before') ? null : 'the published version is another one';
    },
  },
  {
    name: 'difference-of-versions',
    task: 'To which expression did version 2 of workflow {workflowId} change the grade? Answer with the expression.',
    prepare: twoVersions,
    check: async (_world, facts, answer) =>
      answer.includes(fact(facts, 'later')) ? null : 'the answer lacks the expression',
  },
];

async function twoVersions(world: EvalWorld): Promise<{ workflowId: string; later: string }> {
  const workflowId = await world.publish(wordGraph('Two versions', '"before"'));
  const later = `after-${workflowId.slice(-6)}`;
  const operations = [{ op: 'set_field', path: '/nodes/rate/config/set/grade', value: `"${later}"` }];
  const { revision } = await world.use<{ revision: number }>('update_workflow', {
    workflowId,
    baseVersion: 1,
    operations,
  });
  await world.use('publish_workflow', { workflowId, baseVersion: revision });
  return { workflowId, later };
}
