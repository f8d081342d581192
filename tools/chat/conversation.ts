import { derivedId, newId } from '#src/domain/ids.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import type { ChatScope, SourceCard } from '#src/contracts/resources/chat.ts';
import type { ToolContext } from '#tools/define.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { withdrawnAnswer, type ConversationMessage, type ConversationRecord } from '#src/domain/chat/conversation.ts';

const longestTitle = 80;

/** Conversations belong to one person or to one key. */
export const ownerOf = ({ session, actorId }: Principal): string => session?.userId ?? actorId;

/** Same error for a foreign and an unknown conversation: a different one would reveal which ids exist. */
export function conversationMissing(): AppError {
  return new AppError(
    'conversation.not_found',
    'You have no conversation with this id. Take an id from the list of conversations.',
  );
}

/** Error: `conversation.not_found`. */
export async function requireConversation(
  { deps, principal }: Pick<ToolContext<'conversations'>, 'deps' | 'principal'>,
  conversationId: string,
): Promise<ConversationRecord> {
  const { organizationId } = principal;
  const found = await deps.conversations.find(organizationId, ownerOf(principal), conversationId);
  if (found === null) throw conversationMissing();
  return found;
}

export interface Exchange {
  readonly conversationId: string;
  /** Id of the answer. */
  readonly messageId: string;
  readonly question: string;
  keepQuestion(): Promise<void>;
  keepAnswer(
    answer: Pick<ConversationMessage, 'text' | 'status' | 'modelLabel' | 'certainty'> & {
      sources: readonly SourceCard[];
    },
  ): Promise<void>;
}

interface Asked {
  readonly conversationId?: string;
  readonly question: string;
  readonly questionId?: string;
  /** First question of the conversation, for its title. */
  readonly first: string;
  readonly scope: ChatScope;
}

/** Stores a question and its answer. A question sent again with the same id is stored once, with its newest answer. */
export function openExchange(
  { deps, principal }: Pick<ToolContext<'conversations' | 'documents'>, 'deps' | 'principal'>,
  asked: Asked,
): Exchange {
  const { organizationId } = principal;
  const { conversationId = newId('conversation'), question, questionId = newId('message'), scope } = asked;
  const askedAt = new Date();
  const messageId = derivedId('message', organizationId, ownerOf(principal), conversationId, questionId);
  const conversation: ConversationRecord = {
    _id: conversationId,
    organizationId,
    userId: ownerOf(principal),
    scope,
    title: titleOf(asked.first),
    createdAt: askedAt,
    updatedAt: askedAt,
  };
  const asking: ConversationMessage = {
    _id: questionId,
    role: 'user',
    text: question,
    sources: [],
    modelLabel: null,
    status: 'complete',
    createdAt: askedAt,
  };
  return {
    conversationId,
    messageId,
    question,
    keepQuestion: () => deps.conversations.ask(conversation, asking, messageId),
    async keepAnswer({ sources, ...answer }) {
      // The answer must sort after its question. Signed URLs are not stored, because they expire.
      const createdAt = new Date(Math.max(Date.now(), askedAt.getTime() + 1));
      const kept = sources.map((source) => ({ ...source, thumbnailUrl: null }));
      const message = { _id: messageId, role: 'assistant' as const, ...answer, sources: kept, createdAt };
      await deps.conversations.answer({ ...conversation, updatedAt: createdAt }, asking, message);
      await withdrawGone({ deps, principal }, kept);
    },
  };
}

/** Order matters: runs after the answer is stored, so that a concurrent deletion either finds the answer or is found here. */
async function withdrawGone(
  {
    deps: { documents, conversations },
    principal,
  }: Pick<ToolContext<'conversations' | 'documents'>, 'deps' | 'principal'>,
  sources: readonly SourceCard[],
): Promise<void> {
  if (sources.length === 0) return;
  const { organizationId } = principal;
  const ids = sources.map(({ documentId }) => documentId);
  const readable = new Set((await documents.findMany(principal, ids)).map(({ _id }) => _id));
  for (const id of ids)
    if (!readable.has(id) && (await documents.findInOrganization(organizationId, id)) === null)
      await conversations.forgetDocument(organizationId, id);
}

function titleOf(question: string): string {
  const line = question.replaceAll(/\s+/gu, ' ').trim();
  return line.length <= longestTitle
    ? line
    : `${line
        .slice(0, longestTitle - 1)
        .toWellFormed()
        .trimEnd()}…`;
}

export interface StoredMessages {
  readonly messages: readonly ConversationMessage[];
  /** Documents of the messages' sources. */
  readonly readable: ReadonlyMap<string, DocumentRecord>;
}

/**
 * Reads the newest messages of a conversation as the reader may see them now. A document that was deleted or that the reader may no longer
 * read shows no card, and answers that could quote it show no text.
 */
export async function storedMessages(
  { deps, principal }: Pick<ToolContext<'conversations' | 'documents'>, 'deps' | 'principal'>,
  conversationId: string,
  limit: number,
): Promise<StoredMessages> {
  const stored = await deps.conversations.messages(principal.organizationId, ownerOf(principal), conversationId, limit);
  const named = new Set(stored.flatMap(({ sources }) => sources.map(({ documentId }) => documentId)));
  const records = named.size === 0 ? [] : await deps.documents.findMany(principal, [...named]);
  const readable = new Map(records.map((record) => [record._id, record]));
  const messages = stored.map((message) => {
    const sources = message.sources.filter(({ documentId }) => readable.has(documentId));
    return sources.length === message.sources.length ? message : { ...message, text: withdrawnAnswer, sources };
  });
  return { messages, readable };
}
