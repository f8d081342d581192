import type { Agent } from '#scripts/eval/job.ts';
import { hinted, idsIn, scripted } from '#test/eval/policies.ts';

const id = (task: string, prefix: string): string => idsIn(task, prefix)[0] ?? '';
const quoted = (task: string): string => /"([^"]+)"/.exec(task)?.[1] ?? '';
const inARow = (...names: string[]): object[] =>
  ['START', ...names].map((from, place) => ({ from, to: names[place] ?? 'END' }));

/** One call; its text is the answer. */
const asks = (name: string, input: (task: string) => object): Agent =>
  scripted(async (task, use) => (await use(name, input(task))).text);

/** Reads the draft, edits it by its revision, and publishes it where the task says so. */
const edits = (operations: (task: string, draft: any) => object[], publish = false): Agent =>
  scripted(async (task, use) => {
    const workflowId = id(task, 'wf');
    const { data } = await use('get_workflow', { workflowId, detail: 'summary' });
    const input = { workflowId, baseVersion: data.revision, operations: operations(task, data) };
    const { text } = await use('update_workflow', input);
    if (publish) await use('publish_workflow', { workflowId, baseVersion: hinted(text, 'baseVersion') });
    return text;
  });

const answers = (answer: string): Agent =>
  scripted(async (task, use) => {
    const { data } = await use('list_runs', { workflowId: id(task, 'wf'), status: 'waiting' });
    const given = data.runs.map(({ runId }: any) => ({ runId, answer }));
    return (await use('resume_run', { answers: given })).text;
  });

/** Fewest calls of each job that has no policy of its own, with a program that makes them. */
export const shortPolicies: readonly (readonly [job: string, agent: Agent, calls: number])[] = [
  ['mend-broken-draft', edits((_task, draft) => draft.issues[0].fix, true), 3],
  [
    'publish-a-draft',
    scripted(async (task, use) => {
      const workflowId = id(task, 'wf');
      const { data } = await use('get_workflow', { workflowId, detail: 'summary' });
      return (await use('publish_workflow', { workflowId, baseVersion: data.revision })).text;
    }),
    2,
  ],
  ['describe-a-workflow', edits((task) => [{ op: 'set_metadata', description: quoted(task) }]), 2],
  [
    'add-a-step',
    edits((task) => {
      const node = { type: 'review', config: { prompt: quoted(task), answer: ['yes', 'no'] } };
      return [{ op: 'insert_between', from: 'rate', to: 'END', nodeId: 'approve', node }];
    }),
    2,
  ],
  [
    'create-a-workflow',
    scripted(async (task, use) => {
      const graph = {
        schemaVersion: 1,
        name: quoted(task),
        state: { document: {}, ocr: {} },
        nodes: { decode: { type: 'load_image' }, read: { type: 'ocr' } },
        edges: inARow('decode', 'read'),
        outputs: { ocr: 'ocr' },
      };
      const { text, data } = await use('create_workflow', { graph });
      const input = { workflowId: data.workflowId, baseVersion: hinted(text, 'baseVersion') };
      return (await use('publish_workflow', input)).text;
    }),
    2,
  ],
  [
    'restore-a-version',
    scripted(async (task, use) => {
      const workflowId = id(task, 'wf');
      const { data } = await use('list_workflow_versions', { workflowId });
      const input = { workflowId, version: 1, baseVersion: data.draft.revision };
      const { text } = await use('restore_workflow_version', input);
      return (await use('publish_workflow', { workflowId, baseVersion: hinted(text, 'baseVersion') })).text;
    }),
    3,
  ],
  [
    'difference-of-versions',
    asks('diff_workflow_versions', (task) => ({ workflowId: id(task, 'wf'), from: 1, to: 2 })),
    1,
  ],
  [
    'run-a-draft',
    scripted(async (task, use) => {
      const input = { workflowId: id(task, 'wf'), documentIds: idsIn(task, 'doc'), version: 'draft', waitSeconds: 25 };
      const { data } = await use('run_workflow', input);
      return (await use('get_run', { executionId: data.id, include: ['outputs'] })).text;
    }),
    2,
  ],
  [
    'try-one-node',
    asks('test_node', (task) => ({
      workflowId: id(task, 'wf'),
      nodeId: 'second',
      documentId: id(task, 'doc'),
      state: { word: quoted(task) },
    })),
    1,
  ],
  ['answer-a-question', answers('yes'), 2],
  ['answer-many-questions', answers('no'), 2],
  ['cancel-an-execution', asks('cancel_run', (task) => ({ executionId: id(task, 'exec') })), 1],
  [
    'repeat-what-failed',
    asks('replay_execution', (task) => ({ executionId: id(task, 'exec'), only: 'failed', version: 'published' })),
    1,
  ],
  ['name-the-failing-node', asks('list_runs', (task) => ({ workflowId: id(task, 'wf'), status: 'failed' })), 1],
  [
    'verify-a-receipt',
    scripted(async (task, use) => {
      const { data } = await use('list_runs', { workflowId: id(task, 'wf'), limit: 1 });
      return (await use('get_run', { runId: data.runs[0].runId, include: ['receiptCheck'] })).text;
    }),
    2,
  ],
  ['find-a-document', asks('search_documents', (task) => ({ query: `"${quoted(task)}"` })), 1],
  ['read-a-price', asks('read_document_text', (task) => ({ documentId: id(task, 'doc') })), 1],
  ['ask-with-source', asks('ask_documents', (task) => ({ question: task.split('?')[0] })), 1],
  [
    'tag-a-document',
    scripted(async (task, use) => {
      const documentId = id(task, 'doc');
      const { text } = await use('get_document', { documentId });
      const tags = JSON.parse(/^tags: (.*)$/m.exec(text)?.[1] ?? '[]');
      return (await use('update_document', { documentId, tags: [...tags, quoted(task)] })).text;
    }),
    2,
  ],
  ['title-a-document', asks('update_document', (task) => ({ documentId: id(task, 'doc'), title: quoted(task) })), 1],
  [
    'publish-a-document',
    asks('set_document_visibility', (task) => ({ documentIds: idsIn(task, 'doc'), visibility: 'public' })),
    1,
  ],
  ['find-a-duplicate', asks('find_similar_documents', (task) => ({ documentId: id(task, 'doc') })), 1],
  ['read-a-record', asks('query_records', (task) => ({ documentId: id(task, 'doc') })), 1],
  [
    'correct-a-record',
    scripted(async (task, use) => {
      const { data } = await use('query_records', { documentId: id(task, 'doc') });
      const [{ recordId, revision }] = data.records;
      return (await use('correct_record', { recordId, revision, set: { merchant: quoted(task) } })).text;
    }),
    2,
  ],
  [
    'save-a-dataset',
    asks('save_dataset', (task) => ({
      name: quoted(task),
      items: idsIn(task, 'doc').map((documentId) => ({ documentId, reference: { label: 'receipt' } })),
    })),
    1,
  ],
  ['create-a-key', asks('create_api_key', (task) => ({ kind: 'service', name: quoted(task), expiresInDays: 30 })), 1],
];
