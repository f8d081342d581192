import type { Collections } from '#src/adapters/database/collections.ts';
import type { ConversationMessage, ConversationStore } from '#src/domain/ports/conversations.ts';
import type { ListPosition } from '#src/domain/ports/documents.ts';

const olderThan = (after: ListPosition | null) =>
  after === null
    ? {}
    : {
        createdAt: { $lte: after.createdAt },
        $or: [{ createdAt: { $lt: after.createdAt } }, { _id: { $lt: after.id } }],
      };

export function createConversationStore({
  conversations,
  messages,
}: Pick<Collections, 'conversations' | 'messages'>): ConversationStore {
  return {
    find: (organizationId, userId, id) => conversations.findOne({ _id: id, organizationId, userId }),
    list: (organizationId, userId, after, limit) =>
      conversations
        .find({ organizationId, userId, ...olderThan(after) })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .toArray(),
    async messages(organizationId, conversationId, limit) {
      const newest = await messages
        .find({ organizationId, conversationId })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .toArray();
      return newest.toReversed();
    },
    async append({ _id, organizationId, userId, updatedAt, ...fresh }, added) {
      await conversations.updateOne(
        { _id, organizationId, userId },
        { $set: { updatedAt }, $setOnInsert: fresh },
        { upsert: true },
      );
      if (added.length === 0) return;
      await messages.bulkWrite(
        added.map(({ _id: id, ...message }: ConversationMessage) => ({
          updateOne: {
            filter: { _id: id, organizationId, conversationId: _id },
            update: { $setOnInsert: message },
            upsert: true,
          },
        })),
      );
    },
    async delete(organizationId, userId, id) {
      const gone = (await conversations.deleteOne({ _id: id, organizationId, userId })).deletedCount === 1;
      if (gone) await messages.deleteMany({ organizationId, conversationId: id });
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
