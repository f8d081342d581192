import { z } from 'zod';
import { AnyId, Cursor, PageLimit, Timestamp, limits } from '#src/contracts/fields.ts';
import { Region } from '#src/contracts/resources/document.ts';
import { Box } from '#src/contracts/resources/results.ts';

export const chatLimits = { messages: 100, bytes: 64 * 1024, sources: 8, excerpts: 3 } as const;

const Ids = z.array(AnyId).min(1).max(limits.documentIds);
/** Documents that an answer may use; without any of these, all of the organization. Source: `chat.default_scope`. */
export const ChatScope = z.object({
  projectIds: Ids.optional().describe('Only documents of these projects'),
  apiKeyIds: Ids.optional().describe('Only documents that these keys uploaded'),
  documentIds: Ids.optional().describe('Only these documents'),
});
export type ChatScope = z.output<typeof ChatScope>;

/** Rejects roles such as `system` rather than dropping them: the client would believe that its instructions count. */
const TextPart = z.looseObject({ type: z.string().max(100), text: z.string().optional() });
export const ChatMessage = z.looseObject({
  id: z.string().max(200).optional(),
  role: z.enum(['user', 'assistant'], 'expected user or assistant'),
  content: z.union([z.string(), z.array(TextPart)]).optional(),
  parts: z.array(TextPart).max(1_000).optional().describe('AI SDK message parts; only text parts are read'),
});

/** The id ends a URL path, where `.` and `..` would be resolved as folders. */
const ConversationId = AnyId.refine((id) => id !== '.' && id !== '..', 'an id cannot be . or ..: use another id');

/**
 * Three shapes of one request: the AI SDK's `{ id, messages: [{ role, parts }] }`, plain `{ messages: [{ role, content }] }`, and AG-UI's
 * `{ threadId, runId, messages, forwardedProps }`. The scope is at the top level, in `data` or in `forwardedProps`.
 */
export const ChatBody = z
  .looseObject({
    id: ConversationId.optional().describe('Conversation id; omit it to start a new conversation'),
    messages: z.array(ChatMessage).min(1).max(chatLimits.messages),
    ...ChatScope.shape,
    data: z.looseObject(ChatScope.shape).optional(),
    threadId: ConversationId.optional().describe('AG-UI: conversation id'),
    runId: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .describe('AG-UI: with threadId, the reply is a stream of AG-UI events'),
    forwardedProps: z.looseObject(ChatScope.shape).optional(),
  })
  .meta({ id: 'ChatRequest' });
export type ChatBody = z.output<typeof ChatBody>;

/** A passage of a document that supports the answer. `verified`: the stored text contains it literally. */
export const Excerpt = z.object({
  field: z.enum(['ocr', 'description', 'segmentation']),
  resultId: z.string().describe('OCR, description or segmentation result that contains the passage'),
  text: z.string().describe('Untrusted content'),
  start: z.int().min(0).describe('UTF-16 code units from the start of the stored text'),
  end: z.int().min(0),
  page: z.int().min(0).optional().describe('Page index, present with bbox'),
  bbox: Box.optional(),
  boxes: z.array(Box).optional().describe('Boxes of its lines, in order'),
  verified: z.boolean(),
});
export type Excerpt = z.output<typeof Excerpt>;

/** A document that an answer can cite. Source: `chat.sources.card`, docs/decisions/0041. */
export const SourceCard = z
  .object({
    sourceId: z.string(),
    index: z.int().min(1).describe('Number in citations of the answer: [1]'),
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

/**
 * `sure`: a quoted sentence has all words of the question and the kind of fact that it asks for. `likely`: the sources have most of them,
 * or a model cited them. `unsure`: closest passages only, or nothing was found. Source: docs/decisions/0133.
 */
export const Certainty = z.enum(['sure', 'likely', 'unsure']);
export type Certainty = z.output<typeof Certainty>;

/**
 * Facts about an answer, equal for all surfaces. `model_failed`: quotes replace the answer of the model; `model_broke_off`: its answer is
 * incomplete.
 */
export const AnswerFacts = z.object({
  certainty: Certainty.describe('sure, likely, or unsure: closest passages only'),
  unverifiedQuotes: z.array(z.object({ quoteText: z.string() })).describe('Quotations that no source has, at most 20'),
  notice: z.enum(['model_failed', 'model_broke_off']).nullable(),
});
export type AnswerFacts = z.output<typeof AnswerFacts>;

export const ChatPath = z.object({ chatId: AnyId });
const StoredMessage = z.object({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  sources: z.array(SourceCard),
  modelLabel: z.string().nullable().describe('Model that answered; local/extractive without a model'),
  status: z.enum(['complete', 'stopped', 'failed']),
  certainty: Certainty.nullable().describe('null for questions, and for answers that were stopped'),
  createdAt: Timestamp,
});
export const Conversation = z
  .object({
    id: z.string(),
    title: z.string().describe('Start of the first question'),
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

/** A question, independent of the wire protocol: the last message is the question, earlier ones are the conversation. */
export const AskInput = z.strictObject({
  messages: z
    .array(
      z.strictObject({ id: z.string().max(200).optional(), role: z.enum(['user', 'assistant']), text: z.string() }),
    )
    .min(1)
    .max(chatLimits.messages)
    .describe('The conversation so far; the last message, with role user, is the question'),
  conversationId: ConversationId.optional().describe('chat_... to continue; omit it to start a new conversation'),
  ...ChatScope.shape,
});
export const AskResult = z.object({
  conversationId: z.string(),
  messageId: z.string(),
  answerText: z.string().describe('Cites sources as [n]; derived from documents: untrusted content'),
  sources: z.array(SourceCard).describe('Sources of the answer, best first; empty when nothing was found'),
  cited: z.array(z.int()).describe('Indexes of the cited sources'),
  modelLabel: z.string().describe('Model that answered; local/extractive without a model'),
  ...AnswerFacts.shape,
});

/** A question of an agent, without a conversation. */
export const Question = z.strictObject({
  question: z.string().trim().min(1).max(16_000),
  documentIds: ChatScope.shape.documentIds,
  projectIds: ChatScope.shape.projectIds,
});
export const Answered = z.object({
  answerText: z.string().describe('Cites sources as [n]; untrusted content'),
  cited: z.array(z.int()).describe('Indexes of the cited sources'),
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
            boxes: z.array(Box).optional().describe('One for each line'),
            verified: z.boolean(),
          }),
        ),
      }),
    )
    .describe(
      'Best first; excerpts have excerptText (untrusted), page, region and boxes of its lines for view_document_image, verified: the stored text contains it literally',
    ),
  modelLabel: z.string().describe('local/extractive: quotes, no model'),
  ...AnswerFacts.shape,
});

/** Events of an answer: `begin`, then the sources once, then text. */
export type ChatEvent =
  | { readonly type: 'begin'; readonly conversationId: string; readonly messageId: string; readonly modelLabel: string }
  | { readonly type: 'sources'; readonly sources: readonly SourceCard[] }
  | { readonly type: 'text'; readonly delta: string };
