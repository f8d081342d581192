import { endedExperiment } from '#test/experiments/support/ended-experiment.ts';
import { wide } from '#test/experiments/support/holdout.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import {
  chatStream,
  startOpenAiServer,
  type Behaviour,
  type SeenRequest,
} from '#test/support/servers/openai-server.ts';
import { startTestApp, type Answer, type TestApp } from '#test/support/test-app.ts';

/** Reaction of the model to one call, or null for its usual answer. `width` is that of the document. */
export type Spell = (call: {
  readonly width: number;
  readonly isDraft: boolean;
  readonly isJudge: boolean;
}) => Behaviour | null;

const narrowest = 100;
const config = (words: string) => ({ prompt: `${words} {{ document.width }}` });
const right = 'Well, please?';
/** The model answers it wrongly on 28 of 100 documents. */
const worse = 'Well?';

const widthIn = (raw: string): number => Number(/(?:Well\?|please\?) (?:<[^>]*>\\n)?(\d+)/.exec(raw)?.[1] ?? 0);

function usual(request: SeenRequest): ReturnType<typeof chatStream> {
  if (request.raw.includes('Judge the output')) return chatStream({ reason: 'x', score: 3 });
  const isRight = request.raw.includes('please') || (widthIn(request.raw) - narrowest) % 25 >= 7;
  return chatStream(isRight ? 'yes' : 'no');
}

export interface ModelLab extends AsyncDisposable {
  readonly app: TestApp;
  readonly cookie: string;
  readonly workflowId: string;
  readonly datasetId: string;
  /** From now on the model reacts so. */
  cast(spell: Spell | null): void;
  readonly calls: () => number;
  post(path: string, body: object): Promise<Answer>;
  /** Starts an experiment of the published version and the draft, and answers it when it is over. */
  compared(more?: object): Promise<any>;
  publish(): Promise<Answer>;
}

/**
 * A workflow that asks a model, a published version that is right, and a draft that is 28 points worse; a dataset of `held` documents of
 * the holdout and `dev` others; a gate on the holdout.
 */
export async function openModelLab(
  { held, dev, env }: { readonly held: number; readonly dev: number; readonly env?: Record<string, string> },
  node: object = {},
): Promise<ModelLab> {
  let spell: Spell | null = null;
  let calls = 0;
  const behave: Behaviour = (request) => {
    calls += 1;
    const { raw } = request;
    const isJudge = raw.includes('Judge the output');
    const cast = spell?.({ width: widthIn(raw), isDraft: raw.includes('Well?'), isJudge }) ?? usual(request);
    if (typeof cast === 'string') return { status: 500, headers: { 'retry-after': '0' }, body: '{}' };
    return typeof cast === 'function' ? cast(request) : cast;
  };
  const models = await startOpenAiServer({ chat: [behave] });
  const app = await startTestApp({
    env: { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: models.baseUrl, ...env },
    overrides: { repeatPausesMs: [10, 20] },
  });
  const cookie = await app.signIn();
  const post = (path: string, body: object) => app.call('POST', `/api/dashboard/${path}`, { cookie, body });
  const made = async (path: string, body: object): Promise<any> => {
    const answer = await post(path, body);
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const graph = graphOf(
    { load: { type: 'load_image' }, ask: { type: 'llm', config: config(right), ...node } },
    ['START>load', 'load>ask', 'ask>END'],
    { state: { document: {}, answer: { schema: {} } }, outputs: { answer: 'answer' } },
  );
  const { workflowId } = await made('workflows', { graph });
  const documents = await Promise.all(Array.from({ length: held + dev }, (_, at) => wide(app, narrowest + at)));
  const items = documents.map((documentId, at) => ({
    documentId,
    split: at < held ? 'holdout' : 'dev',
    reference: { text: 'yes' },
  }));
  const { datasetId } = await made('datasets', { name: 'Answers', items });
  const evaluator = { type: 'exact', output: 'answer' };
  const gate = { datasetId, metric: 'exact', evaluator, maxRegression: 0.1, maxHarmRate: 0.1 };
  await made(`workflows/${workflowId}/publish`, { baseVersion: 1, gate });
  const operations = [{ op: 'set_config', nodeId: 'ask', config: config(worse) }];
  const { revision } = await made(`workflows/${workflowId}/operations`, { baseVersion: 1, operations });
  return {
    app,
    cookie,
    workflowId,
    datasetId,
    cast(next) {
      spell = next;
    },
    calls: () => calls,
    post,
    async compared(more = {}) {
      const { experiment } = await made('experiments', {
        datasetId,
        evaluators: [evaluator],
        split: 'holdout',
        maxConcurrency: 32,
        variants: [{ workflowId }, { workflowId, version: 'draft' }],
        ...more,
      });
      return endedExperiment(app, cookie, experiment.experimentId);
    },
    publish: () => post(`workflows/${workflowId}/publish`, { baseVersion: revision }),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await models[Symbol.asyncDispose]();
    },
  };
}
