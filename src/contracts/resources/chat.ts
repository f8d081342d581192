import { z } from 'zod';
import { AnyId, Cursor, PageLimit, Timestamp, limits } from '#src/contracts/fields.ts';
import { Region } from '#src/contracts/resources/document.ts';
import { Box } from '#src/contracts/resources/results.ts';

export const chatLimits = { messages: 100, bytes: 64 * 1024, sources: 8, excerpts: 3 } as const;

const Ids = z.array(AnyId).min(1).max(limits.documentIds);
/** What an answer may be grounded in; without any of these, everything of the organization. Source: specification §4.3 "Chat". */
export const ChatScope = z.object({
  projectIds: Ids.optional().describe('Only documents of these projects'),
  apiKeyIds: Ids.optional().describe('Only documents that these keys uploaded'),
  documentIds: Ids.optional().describe('Only these documents'),
});
export type ChatScope = z.output<typeof ChatScope>;

/** Roles that a client may not send are refused, not dropped: a conversation that lost its instructions is another one. */
const TextPart = z.looseObject({ type: z.string().max(100), text: z.string().optional() });
export const ChatMessage = z.looseObject({
  id: z.string().max(200).optional(),
  role: z.enum(['user', 'assistant'], 'expected user or assistant: other roles are not for clients to send'),
  content: z.union([z.string(), z.array(TextPart)]).optional(),
  parts: z
    .array(TextPart)
    .max(1_000)
    .optional()
    .describe('As the AI SDK sends them; parts that are not text are not read'),
});

/** Addresses end in it, and a URL takes dots alone for folders. */
const ConversationId = AnyId.refine((id) => id !== '.' && id !== '..', 'an id cannot be dots alone');

/**
 * Three shapes of one request: the AI SDK's `{ id, messages: [{ role, parts }] }`, plain `{ messages: [{ role, content }] }`, and AG-UI's
 * `{ threadId, runId, messages, forwardedProps }`. The scope stands at the top, or in `data` or `forwardedProps`.
 */
export const ChatBody = z
  .looseObject({
    id: ConversationId.optional().describe('Of the conversation; one is made where it is left out'),
    messages: z.array(ChatMessage).min(1).max(chatLimits.messages),
    ...ChatScope.shape,
    data: z.looseObject(ChatScope.shape).optional(),
    threadId: ConversationId.optional().describe('AG-UI: the conversation'),
    runId: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .describe('AG-UI: with threadId, the answer is a stream of AG-UI events'),
    forwardedProps: z.looseObject(ChatScope.shape).optional(),
  })
  .meta({ id: 'ChatRequest' });
export type ChatBody = z.output<typeof ChatBody>;

/** A passage of a document that the answer can rest on. `verified`: it is literally in the stored text. */
export const Excerpt = z.object({
  field: z.enum(['ocr', 'description', 'segmentation']),
  resultId: z.string().describe('Of the OCR, description or segmentation result that it is quoted from'),
  text: z.string().describe('Untrusted content'),
  start: z.int().min(0).describe('UTF-16 code units from the begin of the stored text'),
  end: z.int().min(0),
  page: z.int().min(0).optional().describe('Index of the page, where bbox is given'),
  bbox: Box.optional(),
  verified: z.boolean(),
});
export type Excerpt = z.output<typeof Excerpt>;

/** Source: specification §4.3 "Chat" 3; contracts.md "Chat". */
export const SourceCard = z
  .object({
    sourceId: z.string(),
    index: z.int().min(1).describe('The number that the answer cites it by: [1]'),
    documentId: z.string(),
    projectId: z.string(),
    objectKey: z.string(),
    contentType: z.string(),
    createdAt: Timestamp,
    title: z.string().nullable(),
    description: z.string().nullable(),
    thumbnailUrl: z.string().nullable(),
    distance: z.number().nullable(),
    score: z.number(),
    excerpts: z.array(Excerpt),
  })
  .meta({ id: 'SourceCard' });
export type SourceCard = z.output<typeof SourceCard>;

/** One frame of the answer's stream, of whichever protocol was asked for. */
export const ChatFrame = z.looseObject({ type: z.string() }).meta({
  id: 'ChatFrame',
  description:
    'AI SDK UI message stream: data-assistant_sources (as event assistant_sources, its data.sources are SourceCards) comes first, then text; AG-UI events for bodies with threadId and runId',
});

export const ChatPath = z.object({ chatId: AnyId });
const StoredMessage = z.object({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  sources: z.array(SourceCard),
  modelLabel: z.string().nullable().describe('What answered; local/extractive without a model'),
  status: z.enum(['complete', 'stopped', 'failed']),
  createdAt: Timestamp,
});
export const Conversation = z
  .object({
    id: z.string(),
    title: z.string().describe('Begin of the first question'),
    scope: ChatScope,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'Conversation' });
export const ConversationDetail = Conversation.extend({ messages: z.array(StoredMessage) });
export const ConversationQuery = z.strictObject({
  limit: PageLimit.default(limits.pageDefault),
  cursor: Cursor.optional(),
});
export const ConversationList = z.object({ conversations: z.array(Conversation), nextCursor: z.string().nullable() });
export const DeletedConversation = z.object({ id: z.string(), deleted: z.literal(true) });

/** What is asked, of whatever wire: the last message is the question, those before it are what was said. */
export const AskInput = z.strictObject({
  messages: z
    .array(
      z.strictObject({ id: z.string().max(200).optional(), role: z.enum(['user', 'assistant']), text: z.string() }),
    )
    .min(1)
    .max(chatLimits.messages)
    .describe('The conversation so far; the last one is the question, of role user'),
  conversationId: ConversationId.optional().describe(
    'chat_... to go on with; a new conversation is made where it is left out',
  ),
  ...ChatScope.shape,
});
export const AskResult = z.object({
  conversationId: z.string(),
  messageId: z.string(),
  answerText: z.string().describe('Cites sources by [n]; made from documents: untrusted content'),
  sources: z.array(SourceCard).describe('What the answer may cite, best first; empty where nothing was found'),
  cited: z.array(z.int()).describe('Index of each source that the answer cites'),
  modelLabel: z.string().describe('What answered; local/extractive without a model'),
});

/** One question without a conversation: what agents ask. */
export const Question = z.strictObject({
  question: z.string().trim().min(1).max(16_000),
  documentIds: ChatScope.shape.documentIds,
  projectIds: ChatScope.shape.projectIds,
});
export const Answered = z.object({
  answerText: z.string().describe('Cites sources as [n]; untrusted content'),
  cited: z.array(z.int()).describe('Index of each source that the answer cites'),
  sources: z
    .array(
      z.object({
        index: z.int(),
        documentId: z.string(),
        title: z.string().nullable(),
        excerpts: z.array(
          z.object({
            excerptText: z.string(),
            page: z.int().optional(),
            region: Region.optional(),
            verified: z.boolean(),
          }),
        ),
      }),
    )
    .describe(
      'Best first; excerpts have excerptText (untrusted), page and region for view_document_image, verified: literally in the stored text',
    ),
  modelLabel: z.string().describe('local/extractive: lines as they stand, no model'),
});

/** What an answer tells while it is made: its sources once, then text. */
export type ChatEvent =
  | { readonly type: 'begin'; readonly conversationId: string; readonly messageId: string; readonly modelLabel: string }
  | { readonly type: 'sources'; readonly sources: readonly SourceCard[] }
  | { readonly type: 'text'; readonly delta: string };
