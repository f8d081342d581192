import type { Collections } from '#src/adapters/database/collections.ts';
import {
  conversationRowId,
  messageRowId,
  type ConversationRow,
  type MessageRow,
} from '#src/adapters/database/conversation-rows.ts';
import {
  mostMessages,
  type ConversationMessage,
  type ConversationRecord,
  type ConversationStore,
} from '#src/domain/ports/conversations.ts';
import type { ListPosition } from '#src/domain/ports/documents.ts';

/** Positions are those of what the client sees; among conversations of one millisecond any order will do, as long as it stays. */
const olderThan = (after: ListPosition | null) =>
  after === null
    ? {}
    : {
        createdAt: { $lte: after.createdAt },
        $or: [{ createdAt: { $lt: after.createdAt } }, { _id: { $lt: after.id } }],
      };

function toRecord({ conversationId, ...row }: ConversationRow): ConversationRecord {
  return { ...row, _id: conversationId };
}

function toMessage({ messageId, organizationId: _, conversationId: __, ...row }: MessageRow): ConversationMessage {
  return { ...row, _id: messageId };
}

function addition(organizationId: string, row: string, message: ConversationMessage) {
  const { _id: messageId, createdAt, role, ...rest } = message;
  const first = { messageId, createdAt, role };
  return {
    filter: { _id: messageRowId(row, messageId), organizationId, conversationId: row },
    update: role === 'user' ? { $setOnInsert: { ...first, ...rest } } : { $set: rest, $setOnInsert: first },
    upsert: true,
  };
}

export function createConversationStore({
  conversations,
  messages,
}: Pick<Collections, 'conversations' | 'messages'>): ConversationStore {
  const trim = async (organizationId: string, conversationId: string): Promise<void> => {
    const beyond = await messages
      .find({ organizationId, conversationId }, { projection: { _id: 1 } })
      .sort({ createdAt: -1, _id: -1 })
      .skip(mostMessages)
      .limit(mostMessages)
      .toArray();
    if (beyond.length === 0) return;
    await messages.deleteMany({ _id: { $in: beyond.map(({ _id }) => _id) }, organizationId, conversationId });
  };

  return {
    async find(organizationId, userId, id) {
      const row = await conversations.findOne({
        _id: conversationRowId(organizationId, userId, id),
        organizationId,
        userId,
      });
      return row === null ? null : toRecord(row);
    },
    async list(organizationId, userId, after, limit) {
      const from = after && { ...after, id: conversationRowId(organizationId, userId, after.id) };
      const rows = await conversations
        .find({ organizationId, userId, ...olderThan(from) })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .toArray();
      return rows.map(toRecord);
    },
    async messages(organizationId, userId, id, limit) {
      const newest = await messages
        .find({ organizationId, conversationId: conversationRowId(organizationId, userId, id) })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .toArray();
      return newest.toReversed().map(toMessage);
    },
    async append({ _id: conversationId, organizationId, userId, updatedAt, scope, ...fresh }, added) {
      const _id = conversationRowId(organizationId, userId, conversationId);
      await conversations.updateOne(
        { _id, organizationId, userId },
        { $set: { updatedAt, scope }, $setOnInsert: { ...fresh, conversationId } },
        { upsert: true },
      );
      if (added.length === 0) return;
      await messages.bulkWrite(added.map((message) => ({ updateOne: addition(organizationId, _id, message) })));
      await trim(organizationId, _id);
    },
    async delete(organizationId, userId, id) {
      const _id = conversationRowId(organizationId, userId, id);
      const gone = (await conversations.deleteOne({ _id, organizationId, userId })).deletedCount === 1;
      if (gone) await messages.deleteMany({ organizationId, conversationId: _id });
      return gone;
    },
    async forgetDocument(organizationId, documentId) {
      await messages.updateMany(
        { organizationId, 'sources.documentId': documentId },
        { $pull: { sources: { documentId } } as never },
      );
    },
  };
}
