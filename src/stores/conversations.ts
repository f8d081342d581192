import type { AnyClientBulkWriteModel, ClientUpdateResult, Document, MongoClient } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import {
  conversationRowId,
  messageRowId,
  type ConversationRow,
  type MessageRow,
} from '#src/stores/conversation-rows.ts';
import { isClientDuplicatesOnly } from '#src/stores/connect.ts';
import {
  mostConversations,
  mostMessages,
  withdrawnAnswer,
  type ConversationMessage,
  type ConversationRecord,
} from '#src/domain/chat/conversation.ts';
import type { ListPosition } from '#src/domain/cursor.ts';

/** Lists in the order that the client sees. Conversations of the same millisecond need a stable order only. */
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

function toMessage(stored: MessageRow): ConversationMessage {
  const { messageId, organizationId: _, conversationId: __, ...row } = stored;
  return { ...row, _id: messageId };
}

function placeOf(organizationId: string, row: string, messageId: string) {
  return { _id: messageRowId(row, messageId), organizationId, conversationId: row };
}

/** Repeats upserts once: of two concurrent inserts one fails with a duplicate key, and its second try updates. */
async function onceMore<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isClientDuplicatesOnly(error)) throw error;
    return write();
  }
}

/** An update as a part of a command. */
const update = ({ namespace }: { readonly namespace: string }, filter: object, change: Document) =>
  ({ namespace, name: 'updateOne', filter: filter as Document, update: change }) as const;

function createReads({ conversations, messages }: Pick<Collections, 'conversations' | 'messages'>) {
  return {
    async find(organizationId: string, userId: string, id: string): Promise<ConversationRecord | null> {
      const row = await conversations.findOne({
        _id: conversationRowId(organizationId, userId, id),
        organizationId,
        userId,
      });
      return row === null ? null : toRecord(row);
    },
    /** Lists newest first by `createdAt`. */
    async list(
      organizationId: string,
      userId: string,
      after: ListPosition | null,
      limit: number,
    ): Promise<readonly ConversationRecord[]> {
      const from = after && { ...after, id: conversationRowId(organizationId, userId, after.id) };
      const rows = await conversations
        .find({ organizationId, userId, ...olderThan(from) })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .toArray();
      return rows.map(toRecord);
    },
    /** Newest messages in order, at most `limit`. */
    async messages(
      organizationId: string,
      userId: string,
      id: string,
      limit: number,
    ): Promise<readonly ConversationMessage[]> {
      const newest = await messages
        .find({ organizationId, conversationId: conversationRowId(organizationId, userId, id) })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .toArray();
      return newest.toReversed().map(toMessage);
    },
  };
}

const createDeletions = ({ conversations, messages }: Pick<Collections, 'conversations' | 'messages'>) => ({
  async delete(organizationId: string, userId: string, id: string): Promise<boolean> {
    const _id = conversationRowId(organizationId, userId, id);
    const gone = (await conversations.deleteOne({ _id, organizationId, userId })).deletedCount === 1;
    // Delete the messages even if the conversation is gone: a process may have died between the two deletes.
    await messages.deleteMany({ organizationId, conversationId: _id });
    return gone;
  },
  /** Removes quotes of a deleted document: its source cards, and the text of the answers that cite it. */
  async forgetDocument(organizationId: string, documentId: string): Promise<void> {
    await messages.updateMany(
      { organizationId, 'sources.documentId': documentId },
      { $set: { text: withdrawnAnswer }, $pull: { sources: { documentId } } as never },
    );
  },
});

export function createConversationStore(
  client: MongoClient,
  { conversations, messages }: Pick<Collections, 'conversations' | 'messages'>,
  bounds: { readonly mostConversations: number } = { mostConversations },
) {
  const trimMessages = async (organizationId: string, conversationId: string): Promise<void> => {
    const beyond = await messages
      .find({ organizationId, conversationId }, { projection: { _id: 1 } })
      .sort({ createdAt: -1, _id: -1 })
      .skip(mostMessages)
      .limit(mostMessages)
      .toArray();
    if (beyond.length === 0) return;
    await messages.deleteMany({ _id: { $in: beyond.map(({ _id }) => _id) }, organizationId, conversationId });
  };

  const trimConversations = async (organizationId: string, userId: string): Promise<void> => {
    const beyond = await conversations
      .find({ organizationId, userId }, { projection: { _id: 1 } })
      .sort({ createdAt: -1, _id: -1 })
      .skip(bounds.mostConversations)
      .limit(100)
      .toArray();
    if (beyond.length === 0) return;
    const ids = beyond.map(({ _id }) => _id);
    await conversations.deleteMany({ _id: { $in: ids }, organizationId, userId });
    await messages.deleteMany({ organizationId, conversationId: { $in: ids } });
  };

  /** Adds the message, or replaces the one of its id. */
  const putting = (organizationId: string, row: string, message: ConversationMessage) => {
    const { _id: messageId, createdAt, role, ...rest } = message;
    const change = { $set: rest, $setOnInsert: { messageId, createdAt, role } };
    return { ...update(messages, placeOf(organizationId, row, messageId), change), upsert: true };
  };
  /** Writes in one durable command, in order. Returns what each did. */
  const write = async (models: AnyClientBulkWriteModel<Document>[]): Promise<(ClientUpdateResult | undefined)[]> => {
    const done = await onceMore(() => client.bulkWrite(models, { ordered: true, verboseResults: true }));
    return models.map((_, at) => done.updateResults?.get(at));
  };

  return {
    ...createReads({ conversations, messages }),
    /**
     * Creates the conversation, or updates its `updatedAt` and `scope`. Adds the question. An existing question keeps its place, and loses
     * its answer if the text changed. Keeps the newest `mostMessages` of a conversation and the newest `mostConversations` of a user.
     */
    async ask(
      { _id: conversationId, organizationId, userId, updatedAt, scope, ...fresh }: ConversationRecord,
      question: ConversationMessage,
      answerId: string,
    ): Promise<void> {
      const row = conversationRowId(organizationId, userId, conversationId);
      const { text } = question;
      const other = { ...placeOf(organizationId, row, question._id), text: { $ne: text } };
      const begin = { $set: { updatedAt, scope }, $setOnInsert: { ...fresh, conversationId } };
      const [begun, changed, added] = await write([
        { ...update(conversations, { _id: row, organizationId, userId }, begin), upsert: true },
        update(messages, other, { $set: { text } }),
        putting(organizationId, row, question),
      ]);
      if (changed?.modifiedCount === 1) await messages.deleteOne(placeOf(organizationId, row, answerId));
      if (added?.didUpsert === true) await trimMessages(organizationId, row);
      // The conversation was deleted between the two writes: its question would reappear in the next conversation of this id.
      if ((await conversations.findOne({ _id: row, organizationId, userId }, { projection: { _id: 1 } })) === null)
        await messages.deleteMany({ organizationId, conversationId: row });
      if (begun?.didUpsert === true) await trimConversations(organizationId, userId);
    },
    /**
     * Adds the answer, or replaces the one of its id in its place, if its question still exists with the same text. Nothing of a deleted
     * conversation reappears.
     */
    async answer(
      { _id: conversationId, organizationId, userId, updatedAt, scope }: ConversationRecord,
      question: Pick<ConversationMessage, '_id' | 'text'>,
      answer: ConversationMessage,
    ): Promise<void> {
      const row = conversationRowId(organizationId, userId, conversationId);
      const asked = { ...placeOf(organizationId, row, question._id), text: question.text };
      const isAsked = async (): Promise<boolean> =>
        (await messages.findOne(asked, { projection: { _id: 1 } })) !== null;
      if (!(await isAsked())) return;
      const [, added] = await write([
        update(conversations, { _id: row, organizationId, userId }, { $set: { updatedAt, scope } }),
        putting(organizationId, row, answer),
      ]);
      if (added?.didUpsert === true) await trimMessages(organizationId, row);
      // Check after the write: a concurrent change either finds the answer, or this check finds the change.
      if (!(await isAsked()))
        await messages.deleteOne({ ...placeOf(organizationId, row, answer._id), text: answer.text });
    },
    ...createDeletions({ conversations, messages }),
  };
}

/**
 * Conversations with their questions and answers. Every read is by organization and user. Source: docs/decisions/0042;
 * docs/decisions/0041.
 */
export type ConversationStore = ReturnType<typeof createConversationStore>;
