import type { AIMessageChunk } from '@langchain/core/messages';
import { StreamBrokenError, nameOf } from '#src/adapters/models/openai/call-failure.ts';
import type { ChatToolCall } from '#src/domain/ports/chat-model.ts';

export interface StreamedAnswer {
  readonly text: string;
  readonly toolCalls: readonly ChatToolCall[];
  readonly tokens: { readonly inputTokens?: number; readonly outputTokens?: number; readonly costUsd?: number };
}

/** A tool call that grows with the pieces of the stream. */
interface GrowingCall {
  id: string;
  name: string;
  json: string;
}

/**
 * Reads a streamed answer to its end and passes its text on as it arrives. The library reads the first piece before it returns the
 * stream. Throws `StreamBrokenError` for a stream without a finish reason.
 */
export async function readChatStream(
  chunks: Promise<AsyncIterable<AIMessageChunk>>,
  onText: (delta: string) => void = () => undefined,
): Promise<StreamedAnswer> {
  const texts: string[] = [];
  const calls = new Map<number, GrowingCall>();
  let finish: unknown;
  let tokens: StreamedAnswer['tokens'] = {};
  let begun = false;
  try {
    for await (const chunk of await chunks) {
      begun = true;
      const { text } = chunk;
      texts.push(text);
      if (text !== '') onText(text);
      for (const piece of chunk.tool_call_chunks ?? []) addPiece(calls, piece);
      finish = chunk.response_metadata['finish_reason'] ?? finish;
      if (chunk.usage_metadata !== undefined) tokens = tokensOf(chunk);
    }
  } catch (error) {
    // An error within the body has no status: a lost connection, a truncated event, or an error event of the server.
    const cut = begun || nameOf(error) === 'SyntaxError';
    if (cut && !hasStatus(error)) throw new StreamBrokenError('the stream failed', { cause: error });
    throw error;
  }
  if (typeof finish !== 'string') throw new StreamBrokenError('the stream ended without a finish reason');
  // `readFailure` knows these messages.
  if (finish === 'length') throw new Error('the length limit was reached');
  if (finish === 'content_filter') throw new Error('the answer was rejected by the content filter');
  return { text: texts.join(''), toolCalls: [...calls.values()].map(finishedCall), tokens };
}

function addPiece(
  calls: Map<number, GrowingCall>,
  piece: { index?: number; id?: string; name?: string; args?: string },
): void {
  const index = piece.index ?? 0;
  const call = calls.get(index) ?? { id: '', name: '', json: '' };
  calls.set(index, call);
  call.id ||= piece.id ?? '';
  call.name ||= piece.name ?? '';
  call.json += piece.args ?? '';
}

function finishedCall({ id, name, json }: GrowingCall, index: number): ChatToolCall {
  const call = { id: id || `call_${index}`, name };
  try {
    const parsed: unknown = json.trim() === '' ? {} : JSON.parse(json);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return { ...call, arguments: parsed as Readonly<Record<string, unknown>> };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { ...call, arguments: {}, malformed: true };
}

/** Some servers add `cost`, in US dollars. */
function tokensOf(chunk: AIMessageChunk): StreamedAnswer['tokens'] {
  const usage = chunk.response_metadata['usage'] as { readonly cost?: unknown } | undefined;
  const { input_tokens: inputTokens = 0, output_tokens: outputTokens = 0 } = chunk.usage_metadata ?? {};
  return { inputTokens, outputTokens, ...(typeof usage?.cost === 'number' ? { costUsd: usage.cost } : {}) };
}

function hasStatus(error: unknown): boolean {
  return error instanceof Error && 'status' in error && typeof error.status === 'number';
}
