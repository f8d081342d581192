import { own } from '#src/contracts/own.ts';
import { nameOf } from '#src/adapters/models/openai/call-failure.ts';
import { callWithRetries } from '#src/adapters/models/openai/call-with-retries.ts';
import { vendorBaseUrl, withoutRedirects, type OpenAiSettings } from '#src/adapters/models/openai/settings.ts';
import { unitVector } from '#src/domain/embed-locally/unit-vector.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { Embedding, TextEmbedder } from '#src/domain/ports/models.ts';

const knownDimensions: Readonly<Record<string, number>> = {
  'text-embedding-3-small': 1536,
  'text-embedding-3-large': 3072,
  'text-embedding-ada-002': 1536,
};

/** Models read about 8,000 tokens. A text that is still too long is halved, at most this many times. */
const longestText = 24_000;
const halvings = 3;

/**
 * Text vectors of an OpenAI-compatible server, normalized here. Only the first 24,000 characters count. Text without a letter or digit
 * has the zero vector and makes no call. Errors: `model.failed`, also for a vector that has other than `dimensions` numbers.
 */
export function createOpenAiTextEmbedder(settings: OpenAiSettings): TextEmbedder {
  const label = `openai/${settings.embeddingModel}`;
  const dimensions = settings.embeddingDimensions ?? own(knownDimensions, settings.embeddingModel) ?? 1536;
  let request: ReturnType<typeof loadRequest> | undefined;

  async function embed(text: string, signal?: AbortSignal): Promise<Embedding> {
    signal?.throwIfAborted();
    const start = performance.now();
    const usage = { provider: 'openai', model: settings.embeddingModel };
    if (!/[\p{L}\p{N}]/u.test(text))
      return { vector: new Float32Array(dimensions), usage: { ...usage, inputTokens: 0, ms: 0 } };
    request ??= loadRequest(settings);
    const ask = await request;
    const answer = await callWithRetries(settings, label, signal, (limit) =>
      shortening(text, (part) => ask(part, limit)),
    );
    return {
      vector: checkedVector(answer.vector, dimensions, label),
      usage: { ...usage, inputTokens: answer.inputTokens, ms: performance.now() - start },
    };
  }

  return { label, dimensions, embedDocument: embed, embedQuery: embed };
}

async function shortening<T>(text: string, ask: (part: string) => Promise<T>): Promise<T> {
  let part = text.slice(0, longestText).toWellFormed();
  for (let halved = 0; ; halved++) {
    try {
      return await ask(part);
    } catch (error) {
      if (nameOf(error) !== 'ContextOverflowError' || halved >= halvings) throw error;
      part = part.slice(0, Math.ceil(part.length / 2)).toWellFormed();
    }
  }
}

function checkedVector(vector: unknown, dimensions: number, label: string): Float32Array {
  if (!Array.isArray(vector) || !vector.every((value) => typeof value === 'number' && Number.isFinite(value))) {
    throw new AppError('model.failed', `${label} returned no vector of numbers.`);
  }
  if (vector.length !== dimensions) {
    throw new AppError(
      'model.failed',
      `${label} answered ${vector.length} dimensions instead of ${dimensions}. Check the embedding model and its dimensions.`,
    );
  }
  const unit = unitVector(vector);
  if (unit.every((value) => value === 0)) throw new AppError('model.failed', `${label} returned a vector of zeros.`);
  return unit;
}

/** Wraps fetch: the class of the library reports no usage and takes no signal. */
async function loadRequest(settings: OpenAiSettings) {
  const { OpenAIEmbeddings } = await import('@langchain/openai');
  class MeteredEmbeddings extends OpenAIEmbeddings {
    inputTokens = 0;
    /** `never`: the body is only passed on; its type belongs to a transitive dependency. */
    protected override async embeddingWithRetry(body: never) {
      const response = await super.embeddingWithRetry(body);
      const tokens: unknown = response.usage?.prompt_tokens;
      this.inputTokens += typeof tokens === 'number' ? tokens : 0;
      return response;
    }
  }
  return async (text: string, signal: AbortSignal): Promise<{ vector: unknown; inputTokens: number }> => {
    const embeddings = new MeteredEmbeddings({
      model: settings.embeddingModel,
      apiKey: settings.apiKey,
      encodingFormat: 'float',
      timeout: settings.timeoutMs,
      maxRetries: 0,
      stripNewLines: false,
      ...(settings.embeddingDimensions === undefined ? {} : { dimensions: settings.embeddingDimensions }),
      configuration: {
        baseURL: settings.baseUrl ?? vendorBaseUrl,
        fetchOptions: withoutRedirects,
        fetch: (url, init) =>
          (settings.fetch ?? fetch)(url, {
            ...init,
            signal: init?.signal ? AbortSignal.any([init.signal, signal]) : signal,
          }),
      },
    });
    const vector: unknown = await embeddings.embedQuery(text);
    return { vector, inputTokens: embeddings.inputTokens };
  };
}
