import { afterAll, describe, expect, test } from 'vitest';
import type { ChatModel } from '#src/domain/ports/chat-model.ts';
import { callTool } from '#tools/call.ts';
import { tools } from '#tools/index.ts';
import { brokenStream, chatStream, errorAnswer, type Behaviour } from '#test/support/servers/openai-server.ts';
import { errorOf, startChatApp, startModel, type Asked } from '#test/tools/chat/support/chat-app.ts';
import { promptOf } from '#test/tools/chat/support/scripted-reader.ts';
import { storeText } from '#test/tools/chat/support/stored-text.ts';

const app = await startChatApp([]);
afterAll(() => app[Symbol.asyncDispose]());
const heron = await storeText(app, { text: 'The heron nests in tower 4.\nIts ring has the number HR-2201.' });
const stork = await storeText(app, { text: 'The stork nests on the town hall.\nIts ring has the number ST-9.' });

const user = (text: string, id?: string) => ({ role: 'user' as const, text, ...(id !== undefined && { id }) });
const read = (conversationId: string, as?: Awaited<ReturnType<typeof app.principal>>) =>
  app.run(tools.getConversation, { conversationId }, as && { principal: as });

describe('a conversation', () => {
  test('keeps questions, answers and sources, and is called after its first question', async () => {
    const { result } = await app.ask('Where does the  heron\nnest?');
    const detail = await read(result.conversationId);
    expect(detail).toMatchObject({ id: result.conversationId, title: 'Where does the heron nest?', scope: {} });
    expect(detail.messages).toMatchObject([
      { role: 'user', text: 'Where does the  heron\nnest?', sources: [], modelLabel: null, status: 'complete' },
      { id: result.messageId, role: 'assistant', text: result.answerText, modelLabel: 'local/extractive' },
    ]);
    const withoutAddress = (card: (typeof result.sources)[number]) => ({ ...card, thumbnailUrl: null });
    expect(detail.messages[1].sources.map(withoutAddress)).toEqual(result.sources.map(withoutAddress));
    expect(detail.messages[1].sources[0].thumbnailUrl).toMatch(/^http/);
  });

  test('goes on by its id, whoever made the id', async () => {
    const conversationId = 'of my own making';
    await app.ask({ messages: [user('Where does the heron nest?')], conversationId });
    await app.ask({ messages: [user('Where does the stork nest?')], conversationId, documentIds: [stork] });
    const detail = await read(conversationId);
    expect(detail).toMatchObject({ title: 'Where does the heron nest?', scope: { documentIds: [stork] } });
    expect(detail.messages.map(({ role }: { role: string }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  test('keeps a question that is sent again once, with its newest answer in its place', async () => {
    const conversationId = 'again';
    const first = { messages: [user('Where does the heron nest?', 'q1')], conversationId };
    const { result } = await app.ask(first);
    await app.ask({ messages: [user('And the stork?', 'q2')], conversationId });
    await using scripted = await startModel(chatStream('In tower 4 [1].'));
    const again = await app.ask(first, { model: scripted.model });
    expect(again.result.messageId).toBe(result.messageId);
    const { messages } = await read(conversationId);
    expect(messages.map(({ id }: { id: string }) => id)).toEqual(['q1', result.messageId, 'q2', expect.any(String)]);
    expect(messages[1]).toMatchObject({ text: 'In tower 4 [1].', modelLabel: 'openai/talk-1' });
    // Nothing that came after the question is told to the model as what was said before it.
    expect(scripted.server.seen[0]?.body.messages).toHaveLength(2);
  });

  test('takes a question that was changed with its answer, so that no answer stands under another question', async () => {
    const conversationId = 'changed';
    const ask = (text: string) => app.ask({ messages: [user(text, 'q')], conversationId });
    const first = await ask('Where does the heron nest?');
    const second = await ask('Where does the stork nest?');
    expect(second.result.messageId).toBe(first.result.messageId);
    expect((await read(conversationId)).messages).toMatchObject([
      { id: 'q', text: 'Where does the stork nest?' },
      { id: first.result.messageId, text: second.result.answerText },
    ]);
    const { chatModel } = app.app.deps;
    const model: ChatModel = { ...chatModel, label: 'x', complete: () => Promise.reject(new Error('a defect')) };
    await expect(
      app.ask({ messages: [user('Where do they nest?', 'q')], conversationId }, { model }),
    ).rejects.toThrow();
    expect((await read(conversationId)).messages).toMatchObject([{ id: 'q', text: 'Where do they nest?' }]);
  });

  test('takes one of two questions that come at once under one id, and no answer to the other one', async () => {
    const conversationId = 'two tabs';
    await using scripted = await startModel(chatStream('In tower 4 [1].'));
    // The other tab asks while the answer to the first is made.
    const model: ChatModel = {
      label: scripted.model.label,
      delimit: (name, text) => scripted.model.delimit(name, text),
      async complete(request) {
        const answer = await scripted.model.complete(request);
        await app.ask({ messages: [user('Where does the stork nest?', 'q')], conversationId });
        return answer;
      },
    };
    await app.ask({ messages: [user('Where does the heron nest?', 'q')], conversationId }, { model });
    expect((await read(conversationId)).messages).toMatchObject([
      { text: 'Where does the stork nest?' },
      { text: expect.stringContaining('The stork nests on the town hall.') },
    ]);
  });

  test.each(['.', '..'])('is not called %s: no address leads there', async (conversationId) => {
    const asked = app.ask({ messages: [user('Where does the heron nest?')], conversationId });
    expect((await errorOf(asked)).errors[0]?.pointer).toBe('/conversationId');
    const body = { id: conversationId, messages: [user('Where does the heron nest?')] };
    const cookie = await app.signIn();
    const answer = await app.call('POST', '/api/dashboard/documents/chat', { cookie, body });
    expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([400, '/id']);
  });

  test('is nobody else’s: members of the organization neither read nor take it', async () => {
    const conversationId = 'mine alone';
    await app.ask({ messages: [user('Where does the heron nest?', 'm1')], conversationId });
    const member = await app.addPerson('admin');
    const principal = await app.principal(member.cookie);
    expect((await errorOf(read(conversationId, principal))).code).toBe('conversation.not_found');
    expect((await errorOf(app.run(tools.deleteConversation, { conversationId }, { principal }))).code).toBe(
      'conversation.not_found',
    );
    await app.ask({ messages: [user('Where does the stork nest?', 'm1')], conversationId }, { principal });
    expect((await read(conversationId)).messages.map(({ text }: { text: string }) => text)[0]).toContain('heron');
    expect((await read(conversationId)).messages).toHaveLength(2);
    expect((await read(conversationId, principal)).messages[0].text).toContain('stork');
    const list = await app.run(tools.listConversations, {}, { principal });
    expect(list.conversations.map(({ id }: { id: string }) => id)).toEqual([conversationId]);
  });

  test('is listed newest first, page by page, and gone when it is deleted', async () => {
    const person = await app.addPerson('viewer');
    for (const at of [1, 2, 3])
      await app.ask(
        { messages: [user('Where does the heron nest?')], conversationId: `c${at}` },
        {
          principal: await app.principal(person.cookie),
        },
      );
    const get = (query: string) =>
      app.call('GET', `/api/dashboard/documents/chat?organizationId=${app.seed.organizationId}&${query}`, person);
    const first = await get('limit=2');
    expect(first.status, JSON.stringify(first.body)).toBe(200);
    expect(first.body.conversations.map(({ id }: { id: string }) => id)).toEqual(['c3', 'c2']);
    const second = await get(`limit=2&cursor=${encodeURIComponent(first.body.nextCursor)}`);
    expect(second.body).toMatchObject({ conversations: [{ id: 'c1' }], nextCursor: null });
    const path = `/api/dashboard/documents/chat/c2?organizationId=${app.seed.organizationId}`;
    expect((await app.call('GET', path, person)).body.messages).toHaveLength(2);
    expect((await app.call('DELETE', path, person)).body).toEqual({ id: 'c2', deleted: true });
    for (const method of ['GET', 'DELETE'])
      expect((await app.call(method, path, person)).body).toMatchObject({ code: 'conversation.not_found' });
    expect((await get('limit=5')).body.conversations).toHaveLength(2);
  });

  test('shows no card of a document that its reader may not read any more', async () => {
    const id = await storeText(app, { text: 'The ibis nests in the park.' });
    const { result } = await app.ask('Where does the ibis nest?');
    expect(result.sources).toHaveLength(1);
    await app.app.deps.documents.markDeleted(await app.principal(), id, new Date());
    expect((await read(result.conversationId)).messages[1].sources).toEqual([]);
  });
});

describe('a follow-up', () => {
  const history = [user('Where does the heron nest?'), { role: 'assistant' as const, text: 'In tower 4 [1].' }];

  test('is read together with the question before', async () => {
    const { result } = await app.ask({ messages: [...history, user('And what number does its ring have?')] });
    expect(result.sources[0]?.documentId).toBe(heron);
    expect(result.answerText.split('\n')[2]).toContain('HR-2201');
    const other = await app.ask({ messages: [user('Where does the stork nest?'), user('And its ring?')] });
    expect(other.result.sources[0]?.documentId).toBe(stork);
  });

  test('a new subject is not mixed with the one before', async () => {
    const { result } = await app.ask({ messages: [...history, user('Where does the stork nest on the town hall?')] });
    expect(result.sources.map(({ documentId }) => documentId)).toEqual([stork]);
  });

  test('tells the model what was said, without the marks of then, the newest first to stay', async () => {
    await using scripted = await startModel(chatStream('HR-2201 [1].'));
    const long = { role: 'assistant' as const, text: 'x'.repeat(23_990) };
    const messages: Asked['messages'] = [user('old'), long, ...history, user('And its ring?')];
    await app.ask({ messages }, { model: scripted.model });
    const { body } = scripted.server.seen[0] ?? {};
    expect(body.messages.slice(1, -1)).toEqual([
      { role: 'user', content: 'Where does the heron nest?' },
      { role: 'assistant', content: 'In tower 4.' },
    ]);
    expect(promptOf(body)).toMatch(/\nAnd its ring\?$/);
  });

  test('of a stored conversation needs only the question', async () => {
    const conversationId = 'short';
    await app.ask({ messages: [user('Where does the heron nest?')], conversationId });
    const { result } = await app.ask({ messages: [user('And what number does its ring have?')], conversationId });
    expect(result.sources[0]?.documentId).toBe(heron);
  });
});

describe('a model that fails', () => {
  const question = 'Where does the heron nest?';
  const ask = async (conversationId: string, script: Behaviour) => {
    await using scripted = await startModel(script);
    return await app.ask({ messages: [user(question)], conversationId }, { model: scripted.model });
  };
  const quotes = expect.stringMatching(/^The text model did not answer; .*\n\n- "The heron nests in tower 4\." \[1\]/s);

  test.each([
    ['refuses the request', errorAnswer(400, 'secret words')],
    ['refuses the credential', errorAnswer(401, 'secret words')],
    ['breaks off before it says a word', brokenStream('')],
    ['says nothing', chatStream('')],
  ])('and %s is replaced by quotes of the documents', async (why, script) => {
    const { result, events, text } = await ask(`failed: ${why}`, script);
    const facts = { modelLabel: 'local/extractive', notice: 'model_failed', cited: expect.arrayContaining([1]) };
    expect(result).toMatchObject({ answerText: quotes, ...facts });
    expect(result.sources[0]?.documentId).toBe(heron);
    expect(events.map(({ type }) => type)).toEqual(['begin', 'sources', 'text']);
    expect(events[0]).toMatchObject({ modelLabel: 'local/extractive' });
    expect(text).toBe(result.answerText);
    expect(JSON.stringify([result, events])).not.toContain('secret');
    expect((await read(`failed: ${why}`)).messages[1]).toMatchObject({ status: 'complete', text });
  });

  test('after some of it was told keeps its words and sources, and says that it broke off', async () => {
    const { result, text } = await ask('failed later', brokenStream('In tower 4 of the old'));
    expect(result).toMatchObject({ modelLabel: 'openai/talk-1', certainty: 'unsure', notice: 'model_broke_off' });
    expect(result.sources[0]?.documentId).toBe(heron);
    expect(text).toBe(result.answerText);
    expect(text).toMatch(/^In tower 4 of the old\n\nThe text model broke off here\./);
    expect((await read('failed later')).messages[1]).toMatchObject({ status: 'failed', text });
  });

  test('by not coming to an end is ended', async () => {
    const { result } = await ask('endless', chatStream('tower '.repeat(11_000)));
    expect(result).toMatchObject({ notice: 'model_broke_off', answerText: expect.stringMatching(/broke off here/) });
    expect((await read('endless')).messages[1]).toMatchObject({ status: 'failed' });
  });

  test('is told to operators, with its reason and without the credential', async () => {
    await using scripted = await startModel(errorAnswer(401, 'no'));
    const told: unknown[] = [];
    const logger = { ...app.app.deps.logger, error: (...words: unknown[]) => void told.push(words) };
    const ctx = await app.ctx({ model: scripted.model });
    await callTool(tools.askDocuments, { ...ctx, deps: { ...ctx.deps, logger } }, { question });
    expect(told).toMatchObject([[{ requestId: 'req_test' }, expect.stringContaining('refused the credential (401)')]]);
    expect(JSON.stringify(told)).not.toContain('sk-test-1');
  });
});

test.each([
  ['the last message is not the user’s', [{ role: 'assistant' as const, text: 'Hello' }]],
  ['the question has no text', [user('  ')]],
  ['the question is a book', [user('x'.repeat(16_001))]],
])('%s: that is refused', async (_, messages) => {
  const error = await errorOf(app.ask({ messages }));
  expect(error.code).toBe('request.invalid');
  expect(error.errors[0]?.pointer).toBe('/messages/0');
});

test('a quotation that a model made up loses its quotation marks, and is named as unverified', async () => {
  await using scripted = await startModel(chatStream('"The heron nests in tower 4." [1] "The heron is very old." [1]'));
  const { result } = await app.ask('Where does the heron nest?', { model: scripted.model });
  expect(result.answerText).toBe('"The heron nests in tower 4." [1] The heron is very old. [1]');
  expect(result).toMatchObject({ certainty: 'unsure', unverifiedQuotes: [{ quoteText: 'The heron is very old.' }] });
  await using honest = await startModel(chatStream('"The heron nests in tower 4." [1]'));
  const { result: other } = await app.ask('Where does the heron nest?', { model: honest.model });
  expect(other).toMatchObject({ certainty: 'likely', unverifiedQuotes: [], notice: null });
});
