import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Agent } from '#scripts/eval/job.ts';

/** An answer as a model sees it: its text alone. `data` is the JSON of its first line, or of the line "Data:" of an error. */
interface Said {
  readonly text: string;
  readonly data: any;
  readonly isError: boolean;
}

type Use = (name: string, input: object) => Promise<Said>;

const tokensIn = (text: string): number => Buffer.byteLength(text) / 4;
export const idsIn = (text: string, prefix: string): string[] => text.match(new RegExp(`\\b${prefix}_\\w+`, 'g')) ?? [];
export const hinted = (text: string, name: string): number => Number(new RegExp(`${name} (\\d+)`).exec(text)?.[1]);

function read(text: string, isError: boolean): Said {
  const json = isError ? /^Data: (.*)$/m.exec(text)?.[1] : text.split('\n')[0];
  return { text, isError, data: JSON.parse(json ?? 'null') };
}

/** An agent without a model: `work` is its program, which knows the task, the names of the tools and their answers. */
export function scripted(work: (task: string, use: Use) => Promise<string>): Agent {
  return async (task, { url, key }) => {
    const client = new Client({ name: 'scripted', version: '1.0.0' });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    const calls: string[] = [];
    let tokens = 0;
    try {
      const answer = await work(task, async (name, input) => {
        const { content, isError } = await client.callTool({ name, arguments: { ...input } });
        const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
        calls.push(name);
        tokens += tokensIn(text) + tokensIn(JSON.stringify(input));
        return read(text, isError === true);
      });
      return { answer, calls, tokens: Math.ceil(tokens) };
    } finally {
      await client.close();
    }
  };
}

/** Takes the error of the failed run to the issue of its node, applies the fix, and answers a conflict with the revision that it names. */
export const mends = scripted(async (task, use) => {
  const [workflowId] = idsIn(task, 'wf');
  const failed = await use('list_runs', { workflowId, status: 'failed', limit: 1 });
  const { nodeId } = failed.data.runs[0].error;
  const { data } = await use('get_workflow', { workflowId, detail: 'summary' });
  const { fix: operations } = data.issues.find((issue: any) => issue.nodeId === nodeId && issue.fix !== undefined);
  const known = hinted(task, 'baseVersion');
  const baseVersion = Number.isNaN(known) ? data.revision : known;
  let edited = await use('update_workflow', { workflowId, baseVersion, operations });
  if (edited.isError)
    edited = await use('update_workflow', { workflowId, baseVersion: edited.data.currentRevision, operations });
  await use('publish_workflow', { workflowId, baseVersion: hinted(edited.text, 'baseVersion') });
  const run = await use('run_workflow', { workflowId, documentIds: idsIn(task, 'doc'), waitSeconds: 25 });
  return run.data.status;
});

/** Builds the workflow from the examples of the node types, and takes the questions from the answers of runs. */
export const approves = scripted(async (task, use) => {
  const types = ['load_image', 'ocr', 'classify', 'extract', 'review'];
  const described = await use('describe_node_types', { types, detail: 'full' });
  const example = new Map<string, any>(described.data.nodeTypes.map((one: any) => [one.type, one.example]));
  const labels = ['invoice', 'receipt', 'memo'].map((label) => ({ label, keywords: [label] }));
  const nodes = {
    load_image_step: { type: 'load_image' },
    ocr_step: { type: 'ocr' },
    classify_step: { type: 'classify', config: { ...example.get('classify'), labels } },
    extract_step: { type: 'extract', config: { ...example.get('extract'), fields: { total: { type: 'money' } } } },
    review_step: { type: 'review', config: { prompt: 'Approve?', answer: ['yes', 'no'] } },
  };
  const path = ['START', ...Object.keys(nodes), 'END'];
  const edges = path.slice(1).map((to, place) => ({ from: path[place], to }));
  const state = Object.fromEntries(['document', 'ocr', 'classification', 'fields', 'answer'].map((name) => [name, {}]));
  const outputs = { classification: 'classification', fields: 'fields', answer: 'answer' };
  const name = /name "([^"]+)"/.exec(task)?.[1];
  const made = await use('create_workflow', { graph: { schemaVersion: 1, name, state, nodes, edges, outputs } });
  const { workflowId } = made.data;
  await use('publish_workflow', { workflowId, baseVersion: hinted(made.text, 'baseVersion') });
  const started = await use('run_workflow', { workflowId, documentIds: idsIn(task, 'doc'), waitSeconds: 25 });
  const { id: executionId, runs } = started.data;
  await use('resume_run', { answers: runs.map(({ runId }: any) => ({ runId, answer: 'yes' })) });
  const over = await use('get_run', { executionId, waitSeconds: 25, include: ['outputs'] });
  return (over.text.match(/"label":"(\w+)"/g) ?? []).join(' ');
});

/** Runs both, then reads only the differences, page by page. */
export const compares = scripted(async (task, use) => {
  const ran: string[] = [];
  for (const workflowId of idsIn(task, 'wf')) {
    const { data } = await use('run_workflow', { workflowId, documentIds: idsIn(task, 'doc'), waitSeconds: 25 });
    ran.push(data.id);
  }
  const input = { executionIds: ran, differencesOnly: true, waitSeconds: 25 };
  const outputs = new Set<string>();
  let differ = 0;
  for (let cursor: string | null = ''; cursor !== null;) {
    const { text, data }: Said = await use('get_run', cursor === '' ? input : { ...input, cursor });
    differ += data.results.documents.length;
    for (const [, json = '{}'] of text.matchAll(/^runs\.\d+\.outputs: (.*)$/gm))
      for (const name of Object.keys(JSON.parse(json))) outputs.add(name);
    cursor = data.results.nextCursor;
  }
  return `${[...outputs].join(', ')} differs for ${differ} documents`;
});

/** Asks, and takes the box of the line of the excerpt that holds the words of the question. */
export const locates = scripted(async (task, use) => {
  const [documentId] = idsIn(task, 'doc');
  const words = /"([^"]+)"/.exec(task)?.[1] ?? '';
  const { text, data } = await use('ask_documents', { question: `What is the ${words}?`, documentIds: [documentId] });
  const { excerpts } = data.sources[0];
  const at = excerpts.findIndex((one: any) => one.boxes !== undefined);
  const start = text.indexOf(`excerpts.${at}.excerptText: `);
  const passage = text.slice(start, text.indexOf('</untrusted-document>', start));
  const lines = passage.split('\n').filter((line) => line.trim() !== '');
  const place = lines.findIndex((line) => line.includes(words));
  const value = lines[place]?.split(`${words} `)[1];
  return JSON.stringify({ value, page: excerpts[at].page, box: excerpts[at].boxes[place] });
});
