import type { AskResult, ChatEvent, SourceCard } from '#src/contracts/resources/chat.ts';
import type { AppError } from '#src/domain/app-error.ts';

export type Begin = Extract<ChatEvent, { type: 'begin' }>;
export type Answered = ReturnType<typeof AskResult.parse>;

/** Writes an answer in one protocol. Each method returns whole frames. Call order: begin, sources, text, then end or failure. */
export interface Wire {
  readonly headers: Readonly<Record<string, string>>;
  begin(begin: Begin): string;
  sources(sources: readonly SourceCard[]): string;
  text(delta: string): string;
  end(answered: Answered): string;
  /** Contains only the parts of the error that are meant for clients. */
  failure(appError: AppError): string;
}

export interface FrameFields {
  readonly event?: string;
  readonly id?: string;
  readonly retryMs?: number;
}

/**
 * One frame. JSON has no line breaks of its own; the three characters that only some readers take for one are escaped as well. Source:
 * HTML standard "Server-sent events".
 */
export function frame(data: object, fields: FrameFields = {}): string {
  const json = JSON.stringify(data).replaceAll(
    /[\u0085\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const retry = fields.retryMs === undefined ? '' : `retry: ${fields.retryMs}\n`;
  const id = fields.id === undefined ? '' : `id: ${fields.id}\n`;
  const event = fields.event === undefined ? '' : `event: ${fields.event}\n`;
  return `${retry}${id}${event}data: ${json}\n\n`;
}

export const sourcesEvent = 'assistant_sources';
