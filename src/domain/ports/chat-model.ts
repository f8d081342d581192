import type { ModelUsage } from '#src/domain/ports/models.ts';

export interface ChatTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, object-rooted. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ChatToolCall {
  readonly id: string;
  readonly name: string;
  /** Parsed from the model's JSON, unchecked. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What the model wrote is no JSON object; `arguments` is empty. */
  readonly malformed?: true;
}

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly toolCalls?: readonly ChatToolCall[] }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly text: string };

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  /** Instead of the configured model. */
  readonly model?: string;
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  /** The answer is JSON of this JSON Schema; the adapter asks for it, the caller validates. */
  readonly schema?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
  readonly tools?: readonly ChatTool[];
  /** Hears the text as it comes. What was told is never taken back: a call that told something is not tried again. */
  readonly onText?: (delta: string) => void;
  readonly signal?: AbortSignal;
}

export interface ChatAnswer {
  readonly text: string;
  readonly toolCalls: readonly ChatToolCall[];
  readonly usage: ModelUsage;
}

/**
 * A text model behind an OpenAI-compatible server. Errors: `model.failed` (after retries; 429 waits as `Retry-After` says),
 * `model.unavailable`. An aborted `signal` rejects with its reason and ends the request.
 */
export interface ChatModel {
  /** `openai/<model>`; null where no model is configured: every `complete` is `model.unavailable` then. */
  readonly label: string | null;
  complete(request: ChatRequest): Promise<ChatAnswer>;
  /** What untrusted text is wrapped in: its own markers inside are neutralized. */
  delimit(name: string, text: string): string;
}
