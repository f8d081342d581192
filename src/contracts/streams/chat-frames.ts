import { z } from 'zod';
import { AnswerFacts, SourceCard } from '#src/contracts/resources/chat.ts';

const text = z.string();

/** Data of a frame. Later versions of the protocols add members, so unknown ones pass. */
const frame = <Type extends string, Shape extends z.ZodRawShape>(type: Type, description: string, shape: Shape) =>
  z
    .looseObject({ type: z.literal(type).describe('Kind of the frame'), ...shape })
    .meta({ id: `Frame_${type.replaceAll('-', '_')}`, description });

const sources = z.object({ sources: z.array(SourceCard).describe('Sources of the answer, best first') });
const Metadata = z.looseObject({
  conversationId: text.describe('Conversation identifier'),
  modelLabel: text,
  cited: z.array(z.int()).describe('Indexes of the cited sources'),
  ...AnswerFacts.shape,
});
const textId = text.describe('Identifier of the part');
const messageId = text.describe('Identifier of the answer');

/** The AI SDK's UI message stream. Before `[DONE]`, which is no JSON. */
const uiFrames = [
  frame('start', 'The answer begins', {
    messageId,
    messageMetadata: z.looseObject({ conversationId: text, modelLabel: text }),
  }),
  frame('data-assistant_sources', 'The sources, with the event name assistant_sources', { id: textId, data: sources }),
  frame('source-document', 'A source, as the AI SDK shows it', {
    sourceId: text.describe('Identifier of the source'),
    mediaType: text.describe('Media type of the document'),
    title: text,
    filename: text.optional(),
  }),
  frame('start-step', 'The text is about to begin', {}),
  frame('text-start', 'The text begins', { id: textId }),
  frame('text-delta', 'The next part of the text', { id: textId, delta: text.describe('Untrusted content') }),
  frame('text-end', 'The text has ended', { id: textId }),
  frame('finish-step', 'The step has ended', {}),
  frame('finish', 'The answer is complete', { finishReason: text.describe('Always stop'), messageMetadata: Metadata }),
  frame('error', 'The answer ends with an error', { errorText: text.describe('What is wrong, and what to do') }),
] as const;

/** AG-UI events, for bodies with threadId and runId. */
const agUiFrames = [
  frame('RUN_STARTED', 'The answer begins', { threadId: text, runId: text }),
  frame('CUSTOM', 'The sources', { name: z.literal('assistant_sources'), value: sources }),
  frame('TEXT_MESSAGE_START', 'The text begins', { messageId, role: z.literal('assistant') }),
  frame('TEXT_MESSAGE_CONTENT', 'The next part of the text', { messageId, delta: text.describe('Untrusted content') }),
  frame('TEXT_MESSAGE_END', 'The text has ended', { messageId }),
  frame('RUN_FINISHED', 'The answer is complete', { threadId: text, runId: text, result: Metadata }),
  frame('RUN_ERROR', 'The answer ends with an error', { message: text, code: text }),
] as const;

/** One frame of the answer stream, in the requested protocol. Source: `chat.stream`, docs/decisions/0042. */
export const ChatFrame = z.discriminatedUnion('type', [...uiFrames, ...agUiFrames]).meta({ id: 'ChatFrame' });
