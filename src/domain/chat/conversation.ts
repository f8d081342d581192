import type { Certainty, ChatScope, SourceCard } from '#src/contracts/resources/chat.ts';

export interface ConversationRecord {
  /** As the client knows it: the same id of two people names two conversations. */
  readonly _id: string;
  readonly organizationId: string;
  /** Owner of the conversation. No other member can read it. */
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
  /** Absent for questions, and for answers that did not end. */
  readonly certainty?: Certainty;
  readonly createdAt: Date;
}

/** Kept of one conversation. */
export const mostMessages = 200;

/** Kept of one person. */
export const mostConversations = 1_000;

/** Stands where an answer stood that could quote a document which is gone. */
export const withdrawnAnswer = 'This answer rested on a document that is not there any more.';
