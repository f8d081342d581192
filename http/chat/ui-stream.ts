import type { UIMessageChunk } from 'ai';
import type { SourceCard } from '#src/contracts/resources/chat.ts';
import { frame as sseFrame, sourcesEvent, type Begin, type FrameFields, type Wire } from '#http/chat/wire.ts';

const textId = 'text';
const titleLength = 120;
const retryMs = 1_000;
/** Types of the AI SDK check every part. The package itself is not loaded: docs/decisions/0062. */
const frame: (part: UIMessageChunk, fields?: FrameFields) => string = sseFrame;

/** The AI SDK requires a title, which not every document has. */
function titleOf({ title, description, documentId }: SourceCard): string {
  const words = (title ?? description ?? '').trim();
  if (words === '') return documentId;
  return words.length <= titleLength ? words : `${words.slice(0, titleLength - 1).toWellFormed()}…`;
}

function sourceDocument(source: SourceCard): string {
  const filename = source.objectKey.split('/').at(-1);
  return frame({
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
    (speaking ? frame({ type: 'text-end', id: textId }) : frame({ type: 'start-step' })) +
    frame({ type: 'finish-step' });
  const done = 'data: [DONE]\n\n';
  return {
    headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
    // An EventSource reconnects by itself after `retryMs` and sends this id.
    begin: ({ conversationId, messageId, modelLabel }: Begin) =>
      frame({ type: 'start', messageId, messageMetadata: { conversationId, modelLabel } }, { id: messageId, retryMs }),
    sources: (sources) =>
      frame({ type: `data-${sourcesEvent}`, id: 'sources', data: { sources } }, { event: sourcesEvent }) +
      sources.map(sourceDocument).join(''),
    text(delta) {
      const opening = speaking ? '' : frame({ type: 'start-step' }) + frame({ type: 'text-start', id: textId });
      speaking = true;
      return opening + frame({ type: 'text-delta', id: textId, delta });
    },
    end: ({ conversationId, modelLabel, cited }) =>
      close() +
      frame({ type: 'finish', finishReason: 'stop', messageMetadata: { conversationId, modelLabel, cited } }) +
      done,
    failure: ({ detail }) => close() + frame({ type: 'error', errorText: detail }) + done,
  };
}
