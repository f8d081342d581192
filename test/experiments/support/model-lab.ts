import { endedExperiment } from '#test/experiments/support/ended-experiment.ts';
import { wide } from '#test/experiments/support/holdout.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { chatStream, startOpenAiServer, type Behaviour } from '#test/support/servers/openai-server.ts';
import { startTestApp, type Answer, type TestApp, type TestAppOptions } from '#test/support/test-app.ts';

/** One call of the model: about the document of this place, by the draft or the published version; or by a judge. */
export interface Call {
  readonly place: number;
  readonly isDraft: boolean;
  readonly isJudge: boolean;
  readonly raw: string;
}
/** Reaction of the model to a call, or null for its usual answer. */
export type Spell = (call: Call) => Behaviour | null;

const narrowest = 100;
/** The model is always right about the first, and wrong on 28 of 100 documents about the second. */
const words = { published: 'Well, please?', draft: 'Well?' } as const;
const asks = (which: keyof typeof words) => ({ prompt: `${words[which]} {{ document.width }}` });

function callOf(raw: string): Call {
  const width = Number(/(?:Well\?|please\?)\D{0,60}?(\d+)(?!\d|[a-f]*>)/.exec(raw)?.[1] ?? 0);
  return {
    place: width - narrowest,
    isDraft: raw.includes(words.draft),
    isJudge: raw.includes('Judge the output'),
    raw,
  };
}

const isWrong = ({ isDraft, place }: Call): boolean => isDraft && place % 25 < 7;
const usual = (call: Call): Behaviour =>
  chatStream(call.isJudge ? { reason: 'x', score: 5 } : isWrong(call) ? 'no' : 'yes');

export interface ModelLab extends AsyncDisposable {
  readonly app: TestApp;
  readonly cookie: string;
  readonly workflowId: string;
  readonly datasetId: string;
  /** Versions to compare: the published one and the draft. */
  readonly variants: readonly object[];
  readonly evaluator: object;
  /** From now on the model reacts so; null: as usual. */
  cast(spell: Spell | null): void;
  /** The body of the answer, which has to be a success. */
  made(path: string, body: object): Promise<any>;
  /** Compares both versions on the holdout, and answers the experiment when it is over. */
  compared(more?: object): Promise<any>;
  /** Publishes the draft past no gate. */
  publish(): Promise<Answer>;
}

interface LabOptions extends TestAppOptions {
  /** Documents of the holdout, and others. */
  readonly held: number;
  readonly dev: number;
  /** Options of the node that asks the model. */
  readonly node?: object;
}

/**
 * A published workflow that asks a model and is right, its draft that is 28 points worse, and a gate on the holdout. Runs take nothing from
 * the cache, and failed ones are repeated at once.
 */
export async function openModelLab({ held, dev, node, env, overrides }: LabOptions): Promise<ModelLab> {
  let spell: Spell | null = null;
  const behave: Behaviour = ({ raw }) => {
    const call = callOf(raw);
    return spell?.(call) ?? usual(call);
  };
  const models = await startOpenAiServer({ chat: [behave] });
  const app = await startTestApp({
    env: { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: models.baseUrl, ...env },
    overrides: { repeatPausesMs: [10, 20], ...overrides },
  });
  const cookie = await app.signIn();
  const post = (path: string, body: object) => app.call('POST', `/api/dashboard/${path}`, { cookie, body });
  const made: ModelLab['made'] = async (path, body) => {
    const answer = await post(path, body);
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const graph = graphOf(
    { load: { type: 'load_image' }, ask: { type: 'llm', config: asks('published'), cache: false, ...node } },
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
  const gate = { datasetId, metric: 'exact', evaluator, maxRegression: 0.2, maxHarmRate: 0.1 };
  await made(`workflows/${workflowId}/publish`, { baseVersion: 1, gate });
  const operations = [{ op: 'set_config', nodeId: 'ask', config: asks('draft') }];
  const { revision } = await made(`workflows/${workflowId}/operations`, { baseVersion: 1, operations });
  const variants = [{ workflowId }, { workflowId, version: 'draft' }];
  return {
    app,
    cookie,
    workflowId,
    datasetId,
    variants,
    evaluator,
    cast(next) {
      spell = next;
    },
    made,
    async compared(more = {}) {
      const body = { datasetId, evaluators: [evaluator], split: 'holdout', maxConcurrency: 32, variants, ...more };
      const { experiment } = await made('experiments', body);
      return endedExperiment(app, cookie, experiment.experimentId);
    },
    publish: () => post(`workflows/${workflowId}/publish`, { baseVersion: revision }),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await models[Symbol.asyncDispose]();
    },
  };
}
