import type { BaseMessageLike } from '@langchain/core/messages';
import { messageOf } from '#src/adapters/models/openai/call-failure.ts';
import { callWithRetries } from '#src/adapters/models/openai/call-with-retries.ts';
import { readChatStream, type StreamedAnswer } from '#src/adapters/models/openai/chat-stream.ts';
import { vendorBaseUrl, withoutRedirects, type OpenAiSettings } from '#src/adapters/models/openai/settings.ts';
import { delimitUntrusted } from '#src/adapters/models/openai/untrusted-text.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ChatMessage, ChatModel, ChatRequest, ChatTool } from '#src/domain/ports/chat-model.ts';

/** Limit of untrusted text in one pair of delimiters, in characters. Callers have lower limits. */
const longestText = 200_000;

function delimit(name: string, text: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 40);
  return delimitUntrusted(text, longestText, plain || 'data');
}

/** Stands in when no model is configured. */
export function createNoChatModel(): ChatModel {
  return {
    label: null,
    delimit,
    async complete() {
      throw new AppError(
        'model.unavailable',
        'No text model is configured. Set OPENAI_API_KEY, and OPENAI_BASE_URL for a server other than OpenAI.',
      );
    },
  };
}

/** Parts of a request that some models refuse, with the error text. The next request leaves them out. */
const refusals = {
  schema: /response_format|json_schema|structured output/i,
  temperature: /temperature/i,
} as const;
const refusable = ['schema', 'temperature'] as const;

type ModelRequest = ChatRequest & { readonly model: string };

/**
 * Chat completions of an OpenAI-compatible server, read as a stream. An answer that breaks off is retried; an abort ends the request.
 * Once a model refuses `response_format` or `temperature`, later requests leave it out. Errors: `model.failed`, also for answers that
 * the token limit cuts or a content filter withholds.
 */
export function createChatModel(settings: OpenAiSettings): ChatModel {
  const standard = settings.chatModel ?? settings.visionModel;
  const refused = new Set<string>();

  async function ask(request: ModelRequest, signal: AbortSignal): Promise<StreamedAnswer> {
    const { schema, temperature, ...rest } = request;
    const taken = (part: string): boolean => !refused.has(`${part} ${request.model}`);
    const kept: ModelRequest = {
      ...rest,
      ...(schema !== undefined && taken('schema') ? { schema } : {}),
      ...(temperature !== undefined && taken('temperature') ? { temperature } : {}),
    };
    try {
      return await stream(settings, kept, signal);
    } catch (error) {
      const part = refusable.find((name) => kept[name] !== undefined && refuses(error, refusals[name]));
      if (part === undefined) throw error;
      refused.add(`${part} ${request.model}`);
      return ask(request, signal);
    }
  }

  return {
    label: `openai/${standard}`,
    delimit,
    async complete(request) {
      request.signal?.throwIfAborted();
      const start = performance.now();
      const model = request.model ?? standard;
      const { onText } = request;
      const answer = await callWithRetries(settings, `openai/${model}`, request.signal, (limit, once) =>
        ask(
          {
            ...request,
            model,
            ...(onText !== undefined && {
              onText(delta: string) {
                // The caller may have given up on the attempt before the library notices.
                if (limit.aborted) return;
                once();
                onText(delta);
              },
            }),
          },
          limit,
        ),
      );
      const { text, toolCalls, tokens } = answer;
      return { text, toolCalls, usage: { provider: 'openai', model, ...tokens, ms: performance.now() - start } };
    },
  };
}

async function stream(settings: OpenAiSettings, request: ModelRequest, signal: AbortSignal): Promise<StreamedAnswer> {
  const { ChatOpenAI } = await import('@langchain/openai');
  const chat = new ChatOpenAI({
    model: request.model,
    apiKey: settings.apiKey,
    timeout: settings.timeoutMs,
    maxRetries: 0,
    useResponsesApi: false,
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.maxOutputTokens === undefined ? {} : { maxTokens: request.maxOutputTokens }),
    // The library would print broken answers to its log.
    configuration: {
      baseURL: settings.baseUrl ?? vendorBaseUrl,
      logLevel: 'off',
      fetchOptions: withoutRedirects,
      ...(settings.fetch && { fetch: settings.fetch }),
    },
  });
  const chunks = chat.stream(request.messages.map(wireMessage), {
    signal,
    ...(request.tools === undefined || request.tools.length === 0 ? {} : { tools: request.tools.map(wireTool) }),
    ...(request.schema === undefined ? {} : { response_format: wireFormat(request.schema) }),
  });
  return readChatStream(chunks, request.onText);
}

function wireMessage(message: ChatMessage): BaseMessageLike {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.toolCallId, content: message.text };
  if (message.role !== 'assistant') return { role: message.role, content: message.text };
  const calls = (message.toolCalls ?? []).map((call) => ({
    id: call.id,
    type: 'function' as const,
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
  return { role: 'assistant', content: message.text, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

function wireTool({ name, description, parameters }: ChatTool) {
  return { type: 'function' as const, function: { name, description, parameters } };
}

/** Not strict: the strict dialect refuses most schemas of users, and the caller validates anyway. */
function wireFormat({ name, schema }: NonNullable<ChatRequest['schema']>) {
  return { type: 'json_schema' as const, json_schema: { name, schema, strict: false } };
}

function refuses(error: unknown, part: RegExp): boolean {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return (status === 400 || status === 422) && part.test(messageOf(error));
}
