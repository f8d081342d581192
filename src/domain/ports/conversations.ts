import type { ChatScope, SourceCard } from '#src/contracts/resources/chat.ts';
import type { ListPosition } from '#src/domain/ports/documents.ts';

export interface ConversationRecord {
  /** As the client knows it: the same id of two people names two conversations. */
  readonly _id: string;
  readonly organizationId: string;
  /** Whose it is: nobody else reads it, other members neither. */
  readonly userId: string;
  readonly title: string;
  readonly scope: ChatScope;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface ConversationMessage {
  /** As the client knows it; its own within the conversation. */
  readonly _id: string;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly sources: readonly SourceCard[];
  readonly modelLabel: string | null;
  readonly status: 'complete' | 'stopped' | 'failed';
  readonly createdAt: Date;
}

/** Kept of one conversation. */
export const mostMessages = 200;
/** Kept of one person. */
export const mostConversations = 1_000;
/** Stands where an answer stood that could quote a document which is gone. */
export const withdrawnAnswer = 'This answer rested on a document that is not there any more.';

/** What was asked and answered. Every read is by organization and user. Source: contracts.md "Chat"; docs/decisions/0041. */
export interface ConversationStore {
  find(organizationId: string, userId: string, id: string): Promise<ConversationRecord | null>;
  /** Newest first by `createdAt`. */
  list(
    organizationId: string,
    userId: string,
    after: ListPosition | null,
    limit: number,
  ): Promise<readonly ConversationRecord[]>;
  /** In order, at most `limit`, the newest. */
  messages(
    organizationId: string,
    userId: string,
    conversationId: string,
    limit: number,
  ): Promise<readonly ConversationMessage[]>;
  /**
   * Makes the conversation where it is not there, else moves `updatedAt` and `scope`. Adds the question; one that is there stays in its
   * place, and loses its answer when it says something else now. Of a long conversation the newest messages stay: `mostMessages`; of a
   * person the newest conversations: `mostConversations`.
   */
  ask(conversation: ConversationRecord, question: ConversationMessage, answerId: string): Promise<void>;
  /**
   * Adds the answer, or replaces the one of its id in its place, where its question still is and says the same: nothing of a
   * conversation that was deleted meanwhile comes back.
   */
  answer(
    conversation: ConversationRecord,
    question: Pick<ConversationMessage, '_id' | 'text'>,
    answer: ConversationMessage,
  ): Promise<void>;
  delete(organizationId: string, userId: string, id: string): Promise<boolean>;
  /** What quotes a deleted document goes: its source cards, and the text of the answers that had them. */
  forgetDocument(organizationId: string, documentId: string): Promise<void>;
}
