import type { AskResult, ChatEvent, SourceCard } from '#src/contracts/resources/chat.ts';
import type { AppError } from '#src/domain/app-error.ts';
import type { UIMessageChunk } from 'ai';
import type { AGUIEvent } from '@ag-ui/core';

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

interface FrameFields {
  readonly event?: string;
  readonly id?: string;
  readonly retryMs?: number;
}

/**
 * One frame. JSON has no line breaks of its own; the three characters that only some readers take for one are escaped as well. Source:
 * HTML standard "Server-sent events".
 */
function frame(data: object, fields: FrameFields = {}): string {
  const json = JSON.stringify(data).replaceAll(
    /[\u0085\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const retry = fields.retryMs === undefined ? '' : `retry: ${fields.retryMs}\n`;
  const id = fields.id === undefined ? '' : `id: ${fields.id}\n`;
  const event = fields.event === undefined ? '' : `event: ${fields.event}\n`;
  return `${retry}${id}${event}data: ${json}\n\n`;
}

const sourcesEvent = 'assistant_sources';

const textId = 'text';
const titleLength = 120;
const retryMs = 1_000;
/** Types of the AI SDK check every part. The package itself is not loaded: docs/decisions/0062. */
const uiFrame: (part: UIMessageChunk, fields?: FrameFields) => string = frame;

/** Facts about a whole answer, for programs. */
function metadataOf({ conversationId, modelLabel, cited, certainty, unverifiedQuotes, notice }: Answered): object {
  return { conversationId, modelLabel, cited, certainty, unverifiedQuotes, notice };
}

/** The AI SDK requires a title, which not every document has. */
function titleOf({ title, description, documentId }: SourceCard): string {
  const words = (title ?? description ?? '').trim();
  if (words === '') return documentId;
  return words.length <= titleLength ? words : `${words.slice(0, titleLength - 1).toWellFormed()}…`;
}

function sourceDocument(source: SourceCard): string {
  const filename = source.objectKey.split('/').at(-1);
  return uiFrame({
    type: 'source-document',
    sourceId: source.sourceId,
    mediaType: source.contentType,
    title: titleOf(source),
    ...(filename === undefined || filename === '' ? {} : { filename }),
  });
}

/**
 * The AI SDK's UI message stream for versions 5, 6 and 7. The frame of the sources also has an event name, for plain EventSource readers.
 * Any other named frame, or an unknown `type`, breaks the SDK's readers. Source: docs/decisions/0042.
 */
export function createUiStream(): Wire {
  let speaking = false;
  const close = (): string =>
    (speaking ? uiFrame({ type: 'text-end', id: textId }) : uiFrame({ type: 'start-step' })) +
    uiFrame({ type: 'finish-step' });
  const done = 'data: [DONE]\n\n';
  return {
    headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
    // An EventSource reconnects by itself after `retryMs` and sends this id.
    begin: ({ conversationId, messageId, modelLabel }: Begin) =>
      uiFrame(
        { type: 'start', messageId, messageMetadata: { conversationId, modelLabel } },
        { id: messageId, retryMs },
      ),
    sources: (sources) =>
      uiFrame({ type: `data-${sourcesEvent}`, id: 'sources', data: { sources } }, { event: sourcesEvent }) +
      sources.map(sourceDocument).join(''),
    text(delta) {
      const opening = speaking ? '' : uiFrame({ type: 'start-step' }) + uiFrame({ type: 'text-start', id: textId });
      speaking = true;
      return opening + uiFrame({ type: 'text-delta', id: textId, delta });
    },
    end: (answered) =>
      close() + uiFrame({ type: 'finish', finishReason: 'stop', messageMetadata: metadataOf(answered) }) + done,
    failure: ({ detail }) => close() + uiFrame({ type: 'error', errorText: detail }) + done,
  };
}

/** An event whose name is the plain text of AG-UI's enum. */
type Plain<Event> = Event extends { type: infer Name extends string }
  ? Omit<Event, 'type'> & { type: `${Name}` }
  : never;
/** Types of AG-UI check every event. The package itself is not loaded: docs/decisions/0062. */
const agUiFrame: (event: Plain<AGUIEvent>, fields?: FrameFields) => string = frame;

/** AG-UI events of one run. Source: AG-UI protocol 1.0 "Events"; docs/decisions/0042. */
export function createAgUiStream({ threadId, runId }: { readonly threadId: string; readonly runId: string }): Wire {
  let messageId = '';
  let speaking = false;
  const close = (): string => (speaking ? agUiFrame({ type: 'TEXT_MESSAGE_END', messageId }) : '');
  return {
    headers: {},
    begin(begin) {
      ({ messageId } = begin);
      return agUiFrame({ type: 'RUN_STARTED', threadId, runId }, { id: messageId });
    },
    sources: (sources) => agUiFrame({ type: 'CUSTOM', name: sourcesEvent, value: { sources } }),
    text(delta) {
      const opening = speaking ? '' : agUiFrame({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' });
      speaking = true;
      return opening + agUiFrame({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta });
    },
    end: (answered) =>
      close() + agUiFrame({ type: 'RUN_FINISHED', threadId, runId, result: { messageId, ...metadataOf(answered) } }),
    failure: ({ code, detail }) => close() + agUiFrame({ type: 'RUN_ERROR', message: detail, code }),
  };
}
