import { derivedId } from '#src/domain/ids.ts';
import type { ConversationMessage, ConversationRecord } from '#src/domain/chat/conversation.ts';

/** `_id` derives from organization, user and `conversationId`, so the id of another user's conversation reaches nothing. */
export interface ConversationRow extends ConversationRecord {
  readonly conversationId: string;
}

/** `_id` derives from the conversation's row and `messageId`. */
export interface MessageRow extends ConversationMessage {
  readonly organizationId: string;
  /** `_id` of the conversation's row. */
  readonly conversationId: string;
  readonly messageId: string;
}

export const conversationRowId = (organizationId: string, userId: string, conversationId: string): string =>
  derivedId('conversation', organizationId, userId, conversationId);

export const messageRowId = (conversationRow: string, messageId: string): string =>
  derivedId('message', conversationRow, messageId);
