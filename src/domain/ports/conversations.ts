import type { ChatScope, SourceCard } from '#src/contracts/resources/chat.ts';
import type { ListPosition } from '#src/domain/ports/documents.ts';

export interface ConversationRecord {
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
  readonly _id: string;
  readonly organizationId: string;
  readonly conversationId: string;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly sources: readonly SourceCard[];
  readonly modelLabel: string | null;
  readonly status: 'complete' | 'stopped' | 'failed';
  readonly createdAt: Date;
}

/** What was asked and answered. Every read is by organization and user. Source: contracts.md "Chat". */
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
  messages(organizationId: string, conversationId: string, limit: number): Promise<readonly ConversationMessage[]>;
  /** Makes the conversation where it is not there, else moves `updatedAt`; adds messages whose ids are not there yet. */
  append(conversation: ConversationRecord, messages: readonly ConversationMessage[]): Promise<void>;
  delete(organizationId: string, userId: string, id: string): Promise<boolean>;
  /** What quotes a deleted document goes out of stored source cards. */
  forgetDocument(organizationId: string, documentId: string): Promise<void>;
}
