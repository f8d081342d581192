import { afterAll, beforeAll, expect, test } from 'vitest';
import { sizedDocuments } from '#test/experiments/support/sized-documents.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { chatStream, startOpenAiServer, type Behaviour } from '#test/support/servers/openai-server.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

const path = '/nodes/ask/config/prompt';
let app: TestApp;
let models: Awaited<ReturnType<typeof startOpenAiServer>>;
let cookie: string;
let workflowId: string;
let datasetId: string;
let proposing: Behaviour[] = [];

const isProposal = (raw: string): boolean => raw.includes('Improve the words');
const proposalsSeen = () => models.seen.filter(({ raw }) => isProposal(raw));

/** Says yes to whoever asks politely, and proposes by script. */
const model: Behaviour = (request) => {
  if (!isProposal(request.raw)) return chatStream(request.raw.includes('please') ? 'yes' : 'no');
  const next = proposing.shift();
  return typeof next === 'function' ? next(request) : (next as ReturnType<typeof chatStream>);
};

beforeAll(async () => {
  models = await startOpenAiServer({ chat: [model] });
  app = await startTestApp({ env: { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: models.baseUrl } });
  cookie = await app.signIn();
  const { documentIds } = await sizedDocuments(app, 24, 12);
  const graph = graphOf({ ask: { type: 'llm', config: { prompt: 'Well?' } } }, ['START>ask', 'ask>END'], {
    state: { answer: { schema: {} } },
    outputs: { answer: 'answer' },
  });
  const { body: made } = await post('workflows', { graph });
  ({ workflowId } = made);
  await post(`workflows/${workflowId}/publish`, { baseVersion: made.revision });
  const items = documentIds.map((documentId, at) => ({
    documentId,
    split: at % 2 === 0 ? 'dev' : 'holdout',
    reference: { text: 'yes', label: at % 2 === 0 ? 'seen by all' : 'seen by nobody' },
  }));
  ({ datasetId } = (await post('datasets', { name: 'Answers', items })).body);
}, 60_000);
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await models[Symbol.asyncDispose]();
});

const post = (to: string, body: object) => app.call('POST', `/api/dashboard/${to}`, { cookie, body });
const evaluators = [{ type: 'exact', output: 'answer' }];
const search = (more: object = {}) =>
  post('experiments/searches', { workflowId, datasetId, evaluators, propose: 3, ...more });
const ended = async (experimentId: string) =>
  (await app.call('GET', `/api/dashboard/experiments/${experimentId}?wait=25`, { cookie })).body;

test('a search without a measured baseline says what to run first', async () => {
  const refused = await search();
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/propose' }] } });
  expect(refused.body.detail).toContain('Run an experiment');
  expect(proposalsSeen()).toEqual([]);
});

test('a model proposes prompts from the worst dev documents, and the best one is confirmed and left as the draft', async () => {
  const other = [{ op: 'set_field', path, value: 'Hm?' }];
  const measured = await post('experiments', {
    datasetId,
    evaluators,
    variants: [{ workflowId }, { workflowId, operations: other }],
  });
  await ended(measured.body.experiment.experimentId);
  proposing = [
    // A path that is not there is told to the model, once.
    chatStream({ candidates: [{ changes: [{ path: '/name', text: 'Mine' }] }] }),
    chatStream({
      candidates: [
        { changes: [{ path, text: 'Well, please?' }] },
        // The same again is not tried.
        { changes: [{ path, text: 'Well, please?' }] },
        { changes: [{ path, text: 'Well?' }] },
      ],
    }),
  ];
  const started = await search();
  expect(started.status, JSON.stringify(started.body)).toBe(201);
  const found = await ended(started.body.experiment.experimentId);
  expect(found.variants.map(({ name }: { name: string }) => name)).toEqual(['baseline', 'p1']);
  expect(found).toMatchObject({ status: 'succeeded', verdict: 'better', best: 'p1' });
  const { body: workflow } = await app.call('GET', `/api/dashboard/workflows/${workflowId}`, { cookie });
  expect(workflow.graph.nodes.ask.config.prompt).toBe('Well, please?');
  const [asked, again] = proposalsSeen();
  expect(asked?.raw).toContain('seen by all');
  expect(again?.raw).toContain(`path must be one of ${path}`);
  for (const { raw } of proposalsSeen()) expect(raw).not.toContain('seen by nobody');
}, 60_000);

test('nothing starts when the model proposes what is there already', async () => {
  proposing = [chatStream({ candidates: [{ changes: [{ path, text: 'Well?' }] }] })];
  expect(await search()).toMatchObject({ body: { code: 'model.output_invalid' } });
});
