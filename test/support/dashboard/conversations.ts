import type { ConversationMessage, ConversationRecord } from '#src/domain/chat/conversation.ts';

/** A conversation with one question and its answer, which cites a document. */
export function conversationOf(
  who: Pick<ConversationRecord, 'organizationId' | 'userId'>,
  documentId: string,
): { conversation: ConversationRecord; question: ConversationMessage; answer: ConversationMessage } {
  const createdAt = new Date();
  const source = {
    sourceId: 'source-1',
    index: 1,
    documentId,
    projectId: 'prj_p',
    objectKey: 'uploads/x',
    contentType: 'image/png',
    createdAt: createdAt.toISOString(),
    title: null,
    description: null,
    thumbnailUrl: null,
    distance: null,
    score: 1,
    excerpts: [],
  };
  const said = { sources: [], modelLabel: null, status: 'complete', createdAt } as const;
  return {
    conversation: { ...who, _id: 'chat_one', title: 'What is it?', scope: {}, createdAt, updatedAt: createdAt },
    question: { ...said, _id: 'msg_question', role: 'user', text: 'What is it?' },
    answer: { ...said, _id: 'msg_answer', role: 'assistant', text: 'It is [1].', sources: [source] },
  };
}
