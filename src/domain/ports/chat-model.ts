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
  /** Parsed from the model's JSON, not validated. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** True when the model's arguments are not a JSON object. `arguments` is empty then. */
  readonly malformed?: true;
}

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly toolCalls?: readonly ChatToolCall[] }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly text: string };

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  /** Overrides the configured model. */
  readonly model?: string;
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  /** JSON Schema of the answer. The adapter requests it, the caller validates the answer. */
  readonly schema?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
  readonly tools?: readonly ChatTool[];
  /** Receives the text as it streams. Written text cannot be taken back, so a call that wrote some is not retried. */
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
  /** `openai/<model>`. null when no model is configured: every `complete` then rejects with `model.unavailable`. */
  readonly label: string | null;
  complete(request: ChatRequest): Promise<ChatAnswer>;
  /** Delimits untrusted text for a prompt, and neutralizes delimiters inside it. */
  delimit(name: string, text: string): string;
}
