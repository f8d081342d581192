import type { AnyClientBulkWriteModel, ClientBulkWriteOptions, Document } from 'mongodb';
import { afterAll, describe, expect, test } from 'vitest';
import { conversationRowId, messageRowId } from '#src/stores/conversation-rows.ts';
import { createConversationStore } from '#src/stores/conversations.ts';
import type { ChatModel } from '#src/domain/ports/chat-model.ts';
import { tools } from '#tools/index.ts';
import { openCollections } from '#test/spec/support/open-collections.ts';
import { chatStream } from '#test/support/servers/openai-server.ts';
import { errorOf, startChatApp, startModel } from '#test/tools/chat/support/chat-app.ts';
import { storeText } from '#test/tools/chat/support/stored-text.ts';
import {
  mostMessages,
  withdrawnAnswer,
  type ConversationMessage,
  type ConversationRecord,
} from '#src/domain/chat/conversation.ts';

const app = await startChatApp([]);
const stored = await openCollections(app.dataDir);
afterAll(async () => {
  await stored[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});
const { deps } = app.app;
const { organizationId } = app.seed;

const user = (text: string, id?: string) => ({ role: 'user' as const, text, ...(id !== undefined && { id }) });
const read = (conversationId: string) => app.run(tools.getConversation, { conversationId });
const rowOf = async (conversationId: string): Promise<string> =>
  conversationRowId(organizationId, (await app.principal()).actorId, conversationId);
const rows = async (conversationId: string) =>
  stored.messages.find({ organizationId, conversationId: await rowOf(conversationId) }).toArray();
const remove = (id: string) => app.run(tools.deleteDocument, { documentId: id });

/** A model to which something happens while it answers. */
const during = (model: ChatModel, happens: () => Promise<unknown>): ChatModel => ({
  label: model.label,
  delimit: (name, text) => model.delimit(name, text),
  async complete(request) {
    const answer = await model.complete(request);
    await happens();
    return answer;
  },
});

describe('an answer over a document that is deleted', () => {
  test('is withdrawn, its text and its card, and leaves the question and other answers', async () => {
    const id = await storeText(app, { text: 'The egret nests behind the mill.' });
    await storeText(app, { text: 'The bittern nests in the reed.' });
    const conversationId = 'egret';
    await app.ask({ messages: [user('Where does the egret nest?')], conversationId });
    await app.ask({ messages: [user('Where does the bittern nest?')], conversationId });
    await remove(id);
    await app.app.idle();
    await expect.poll(async () => JSON.stringify(await rows(conversationId))).not.toContain('behind the mill');
    expect((await read(conversationId)).messages).toMatchObject([
      { role: 'user', text: 'Where does the egret nest?' },
      { role: 'assistant', text: withdrawnAnswer, sources: [] },
      { role: 'user' },
      { role: 'assistant', text: expect.stringContaining('in the reed') },
    ]);
  });

  test('is not read from the moment of the deletion on, neither by people nor by a model', async () => {
    const id = await storeText(app, { text: 'The spoonbill nests on the island.' });
    const conversationId = 'spoonbill';
    await app.ask({ messages: [user('Where does the spoonbill nest?')], conversationId });
    // The first write of a deletion; all that follows from it takes a while.
    await deps.documents.markDeleted(await app.principal(), id, new Date());
    expect((await read(conversationId)).messages[1]).toMatchObject({ text: withdrawnAnswer, sources: [] });
    await storeText(app, { text: 'The avocet nests on the mud.' });
    await using scripted = await startModel(chatStream('On the mud [1].'));
    await app.ask({ messages: [user('Where does the avocet nest?')], conversationId }, { model: scripted.model });
    const prompt = JSON.stringify(scripted.server.seen[0]?.body.messages);
    expect(prompt).toContain('Where does the spoonbill nest?');
    expect(prompt).not.toContain('on the island');
  });

  test('does not come back where the answer was being made while the document went', async () => {
    const id = await storeText(app, { text: 'The curlew nests in the heath.' });
    await using scripted = await startModel(chatStream('In the heath [1].'));
    const model = during(scripted.model, async () => {
      await remove(id);
      await app.app.idle();
      await expect.poll(() => stored.documents.countDocuments({ _id: id })).toBe(0);
    });
    const conversationId = 'curlew';
    await app.ask({ messages: [user('Where does the curlew nest?')], conversationId }, { model });
    const kept = await rows(conversationId);
    expect(kept.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'Where does the curlew nest?'],
      ['assistant', withdrawnAnswer],
    ]);
    expect(JSON.stringify(kept)).not.toMatch(/in the heath/i);
  });
});

describe('a conversation that is deleted while its answer is being made', () => {
  const question = 'Where does the dunlin nest?';
  const id = 'dunlin';

  test('does not come back', async () => {
    await storeText(app, { text: 'The dunlin nests on the moor.' });
    await using scripted = await startModel(chatStream('On the moor [1].'));
    const model = during(scripted.model, () => app.run(tools.deleteConversation, { conversationId: id }));
    const { result } = await app.ask({ messages: [user(question)], conversationId: id }, { model });
    expect(result.answerText).toBe('On the moor [1].');
    expect((await errorOf(read(id))).code).toBe('conversation.not_found');
    expect(await rows(id)).toEqual([]);
  });

  test('and begun anew has nothing of the answer of before', async () => {
    await using scripted = await startModel(chatStream('On the moor [1].'));
    const model = during(scripted.model, async () => {
      await app.run(tools.deleteConversation, { conversationId: id });
      await app.ask({ messages: [user('And on which moor does the dunlin nest?', 'new')], conversationId: id });
    });
    await app.ask({ messages: [user(question, 'old')], conversationId: id }, { model });
    const { messages } = await read(id);
    expect(messages.map(({ text }: { text: string }) => text)).toEqual([
      'And on which moor does the dunlin nest?',
      expect.stringContaining('The dunlin nests on the moor.'),
    ]);
  });
});

describe('conversations of one person', () => {
  const at = (ms: number) => new Date(1_700_000_000_000 + ms);
  const conversation = (n: number, userId: string): ConversationRecord => ({
    _id: `c${n}`,
    organizationId,
    userId,
    title: 't',
    scope: {},
    createdAt: at(n),
    updatedAt: at(n),
  });
  const message = (n: number): ConversationMessage => ({
    _id: `m${n}`,
    role: 'user',
    text: `${n}`,
    sources: [],
    modelLabel: null,
    status: 'complete',
    createdAt: at(n),
  });

  test('are kept up to a number, the newest, and the messages of older ones go with them', async () => {
    const conversations = createConversationStore(stored.client, stored, { mostConversations: 3 });
    const ask = (n: number, userId: string) => conversations.ask(conversation(n, userId), message(n), 'answer');
    await ask(0, 'usr_else');
    for (const n of [1, 2, 3, 4, 5]) await ask(n, 'usr_many');
    const kept = async () => (await conversations.list(organizationId, 'usr_many', null, 100)).map(({ _id }) => _id);
    expect(await kept()).toEqual(['c5', 'c4', 'c3']);
    const left = async (userId: string, id: string) =>
      (await conversations.messages(organizationId, userId, id, 10)).length;
    expect(await Promise.all(['c1', 'c2', 'c3'].map((id) => left('usr_many', id)))).toEqual([0, 0, 1]);
    expect(await left('usr_else', 'c0')).toBe(1);
    // Going on with an old one makes none, and ends none.
    await conversations.ask({ ...conversation(3, 'usr_many'), updatedAt: at(9) }, message(9), 'answer');
    expect(await kept()).toEqual(['c5', 'c4', 'c3']);
  });

  test.each(['question', 'answer'] as const)(
    'leave no %s behind that is stored while they are deleted',
    async (which) => {
      const gone = conversation(1, `usr_${which}`);
      const kept = createConversationStore(stored.client, stored);
      // A server of several processes may do so between two writes of a command.
      const deleting = new Proxy(stored.client, {
        get: (target, name) =>
          name === 'bulkWrite'
            ? async (models: AnyClientBulkWriteModel<Document>[], options: ClientBulkWriteOptions) => {
                const { updateResults: first } = await target.bulkWrite(models.slice(0, 1), options);
                await kept.delete(organizationId, gone.userId, gone._id);
                const { updateResults: rest = new Map() } = await target.bulkWrite(models.slice(1), options);
                return {
                  updateResults: new Map([
                    ...(first ?? []),
                    ...[...rest].map(([index, one]) => [index + 1, one] as const),
                  ]),
                };
              }
            : Reflect.get(target, name),
      });
      const conversations = createConversationStore(deleting, stored);
      const answer: ConversationMessage = { ...message(2), role: 'assistant' };
      if (which === 'question') await conversations.ask(gone, message(1), answer._id);
      else {
        await kept.ask(gone, message(1), answer._id);
        await conversations.answer(gone, message(1), answer);
      }
      expect(await kept.find(organizationId, gone.userId, gone._id)).toBeNull();
      expect(await kept.messages(organizationId, gone.userId, gone._id, 10)).toEqual([]);
    },
  );

  test('keep their newest messages, and forget what is too old', async () => {
    const conversations = createConversationStore(stored.client, stored);
    const long = conversation(1, 'usr_long');
    await conversations.ask(long, message(0), 'answer');
    const row = conversationRowId(organizationId, 'usr_long', long._id);
    const more = Array.from({ length: mostMessages + 5 }, (_, n) => {
      const { _id: messageId, ...rest } = message(n + 1);
      return { ...rest, _id: messageRowId(row, messageId), messageId, organizationId, conversationId: row };
    });
    await stored.messages.insertMany(more);
    await conversations.ask(long, message(mostMessages + 6), 'answer');
    const kept = await conversations.messages(organizationId, 'usr_long', long._id, 1_000);
    expect(kept).toHaveLength(mostMessages);
    expect(kept[0]?._id).toBe('m7');
  });
});
