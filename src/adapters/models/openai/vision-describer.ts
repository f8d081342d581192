import { messageOf } from '#src/adapters/models/openai/call-failure.ts';
import { callWithRetries } from '#src/adapters/models/openai/call-with-retries.ts';
import {
  describeInstructions,
  describeQuestion,
  descriptionFormat,
  repairQuestion,
} from '#src/adapters/models/openai/describe-prompt.ts';
import { readDescription } from '#src/adapters/models/openai/read-description.ts';
import { vendorBaseUrl, withoutRedirects, type OpenAiSettings } from '#src/adapters/models/openai/settings.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ImageCodec } from '#src/domain/ports/image-codec.ts';
import type { Describer, DescribeRequest } from '#src/domain/ports/models.ts';

/** Vendors scale larger images down. */
const longestSide = 1568;
/** Limit of a broken answer that the model is shown again, in characters. */
const repairedCharacters = 8000;

type Turn =
  | { readonly role: 'system' | 'assistant'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly Record<string, unknown>[] };

interface Answer {
  readonly text: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/**
 * Describes a page image and its recognized text with a vision model (chat completions). Retries an unreadable answer once, with the
 * reason; then throws `model.failed`. Once a server refuses `response_format`, later requests leave it out.
 */
export function createVisionDescriber(settings: OpenAiSettings, codec: Pick<ImageCodec, 'forModel'>): Describer {
  const label = `openai/${settings.visionModel}`;
  let asker: ReturnType<typeof createAsker> | undefined;

  return {
    label,
    async describe(request) {
      request.signal?.throwIfAborted();
      const start = performance.now();
      const image = await codec.forModel(request.page, longestSide);
      asker ??= createAsker(settings, label);
      const turns = firstTurns(request, image);
      const first = await asker(turns, request.signal);
      let read = readDescription(first.text);
      let [inputTokens, outputTokens] = [first.inputTokens, first.outputTokens];
      if ('problem' in read) {
        const second = await asker([...turns, ...repairTurns(first.text, read.problem)], request.signal);
        read = readDescription(second.text);
        inputTokens += second.inputTokens;
        outputTokens += second.outputTokens;
      }
      if ('problem' in read) {
        throw new AppError('model.failed', `${label} gave no usable description in two attempts: ${read.problem}.`);
      }
      const usage = {
        provider: 'openai',
        model: settings.visionModel,
        inputTokens,
        outputTokens,
        ms: performance.now() - start,
      };
      return { value: read.value, usage };
    },
  };
}

function firstTurns(request: DescribeRequest, image: Buffer): Turn[] {
  return [
    { role: 'system', content: describeInstructions },
    {
      role: 'user',
      content: [
        { type: 'text', text: describeQuestion(request) },
        { type: 'image_url', image_url: { url: `data:image/jpeg;base64,${image.toString('base64')}` } },
      ],
    },
  ];
}

function repairTurns(answer: string, problem: string): Turn[] {
  return [
    { role: 'assistant', content: answer.slice(0, repairedCharacters).trim() || '(empty)' },
    { role: 'user', content: repairQuestion(problem) },
  ];
}

/** Asks the chat model for text. Loads the library on the first call. */
function createAsker(settings: OpenAiSettings, label: string) {
  const model = loadModel(settings);
  let structured = true;

  async function ask(turns: readonly Turn[], signal: AbortSignal): Promise<Answer> {
    const chat = await model;
    const messages = turns as Parameters<typeof chat.invoke>[0];
    const message = await chat.invoke(
      messages,
      structured ? { signal, response_format: descriptionFormat } : { signal },
    );
    const { input_tokens: inputTokens = 0, output_tokens: outputTokens = 0 } = message.usage_metadata ?? {};
    return { text: message.text, inputTokens, outputTokens };
  }

  return (turns: readonly Turn[], signal: AbortSignal | undefined): Promise<Answer> =>
    callWithRetries(settings, label, signal, async (limit) => {
      try {
        return await ask(turns, limit);
      } catch (error) {
        if (!structured || !refusesFormat(error)) throw error;
        structured = false;
        return ask(turns, limit);
      }
    });
}

function refusesFormat(error: unknown): boolean {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return (status === 400 || status === 422) && /response_format|json_schema|structured output/i.test(messageOf(error));
}

async function loadModel(settings: OpenAiSettings) {
  const { ChatOpenAI } = await import('@langchain/openai');
  return new ChatOpenAI({
    model: settings.visionModel,
    apiKey: settings.apiKey,
    timeout: settings.timeoutMs,
    maxRetries: 0,
    useResponsesApi: false,
    configuration: {
      baseURL: settings.baseUrl ?? vendorBaseUrl,
      fetchOptions: withoutRedirects,
      ...(settings.fetch && { fetch: settings.fetch }),
    },
  });
}
