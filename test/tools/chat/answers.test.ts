import { afterAll, describe, expect, test } from 'vitest';
import type { Collections } from '#src/stores/collections.ts';
import { segmentationText } from '#src/domain/chat/passages.ts';
import type { Excerpt } from '#src/contracts/resources/chat.ts';
import { tools } from '#tools/index.ts';
import { openCollections } from '#test/spec/support/open-collections.ts';
import { answerable, offTopic, unanswerable, unsaid } from '#test/tools/chat/support/questions.ts';
import { scriptedReader } from '#test/tools/chat/support/scripted-reader.ts';
import { startChatApp, startModel } from '#test/tools/chat/support/chat-app.ts';

const app = await startChatApp(['letter', 'receipt', 'invoice', 'flyer', 'note']);
const reader = await startModel(scriptedReader([...answerable, ...unanswerable]));
const stored: Collections & AsyncDisposable = await openCollections(app.dataDir);
afterAll(async () => {
  await stored[Symbol.asyncDispose]();
  await reader[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

/** The text as it is in the database, past the program's own reading. */
async function storedText({ field, resultId: _id }: Excerpt): Promise<string> {
  if (field === 'ocr') return (await stored.ocrResults.findOne({ _id }))?.text ?? '';
  if (field === 'description') return (await stored.descriptions.findOne({ _id }))?.value.description ?? '';
  const row = await stored.segmentationResults.findOne({ _id });
  return row === null ? '' : segmentationText(row).text;
}

async function expectLiteral(excerpts: readonly Excerpt[]): Promise<void> {
  expect(excerpts.length).toBeGreaterThan(0);
  for (const excerpt of excerpts) {
    const { text, start, end, verified } = excerpt;
    expect((await storedText(excerpt)).slice(start, end)).toBe(text);
    expect(verified).toBe(true);
    expect(text.length).toBeLessThanOrEqual(600);
  }
}

describe('with a model', () => {
  test.each(answerable)('$question is answered from $scan', async ({ question, scan, fact }) => {
    const { result, text, events } = await app.ask(question, { model: reader.model });
    const { answerText, cited, sources, modelLabel } = result;
    expect(modelLabel).toBe('openai/talk-1');
    expect(text).toBe(answerText);
    expect(events.map(({ type }) => type).slice(0, 3)).toEqual(['begin', 'sources', 'text']);
    expect(answerText).toContain(`"${fact}"`);
    const named = sources.filter(({ index }) => cited.includes(index));
    expect(named.map(({ documentId }) => documentId)).toEqual([app.scan[scan]]);
    expect(
      named
        .flatMap(({ excerpts }) => excerpts.map((one) => one.text))
        .join('\n')
        .replaceAll('\n', ' '),
    ).toContain(fact);
    await expectLiteral(sources.flatMap(({ excerpts }) => excerpts));
  });

  test.each(unanswerable)('$question has no answer here, and nothing is cited', async ({ question }) => {
    const { result } = await app.ask(question, { model: reader.model });
    expect(result.cited).toEqual([]);
    expect(result.answerText).not.toMatch(/\[\d+\]/);
  });

  test('a model is not asked where there is nothing to ask it about', async () => {
    const before = reader.server.seen.length;
    const { result } = await app.ask('Who is the chancellor of Atlantis?', { model: reader.model });
    expect(result).toMatchObject({ sources: [], cited: [], modelLabel: 'local/extractive' });
    expect(reader.server.seen).toHaveLength(before);
  });
});

describe('without a model', () => {
  test.each(answerable)('$question is answered by lines of $scan', async ({ question, scan, fact }) => {
    const { result, text } = await app.ask(question);
    const { answerText, cited, sources, modelLabel } = result;
    expect(modelLabel).toBe('local/extractive');
    expect(text).toBe(answerText);
    expect(answerText).toContain(fact);
    const line = answerText.split('\n').find((one) => one.includes(fact)) ?? '';
    const index = Number(/\[(\d+)\]$/.exec(line)?.[1]);
    expect(cited).toContain(index);
    expect(sources[index - 1]?.documentId).toBe(app.scan[scan]);
    await expectLiteral(sources.flatMap(({ excerpts }) => excerpts));
  });

  test.each(offTopic)('$question has no answer here: that is said, and nothing is cited', async ({ question }) => {
    const { result } = await app.ask(question);
    expect(result).toMatchObject({ sources: [], cited: [], certainty: 'unsure', notice: null });
    expect(result.answerText).toMatch(/^I found nothing|^In diesen Dokumenten habe ich nichts|^Je n’ai rien/);
  });

  test.each(unsaid)('$question gets the closest passages, as such', async ({ question }) => {
    const { result } = await app.ask(question);
    expect(result.certainty).toMatch(/^(likely|unsure)$/);
    expect(result.cited).toContain(1);
    expect(result.answerText).toMatch(/^No text model is at work here; .* (may not hold it|not sure that they answer)/);
  });

  test('all words of a question in one sentence are a sure answer, for agents too', async () => {
    const question = 'What is the total due of invoice INV-2024-00873?';
    const { result } = await app.ask(question);
    expect(result).toMatchObject({ certainty: 'sure', unverifiedQuotes: [], notice: null });
    const detail = await app.run(tools.getConversation, { conversationId: result.conversationId });
    expect(detail.messages.map(({ certainty }: { certainty: unknown }) => certainty)).toEqual([null, 'sure']);
    const { certainty, answerText } = await app.run(tools.askDocuments, { question });
    expect({ certainty, answerText }).toEqual({ certainty: 'sure', answerText: result.answerText });
  });

  test('a word that no document has does not hide the document with the others', async () => {
    const { result } = await app.ask('Which porcelain cashier worked at Peppercorn Grocers?');
    expect(result.sources[0]?.documentId).toBe(app.scan.receipt);
    expect(result.certainty).not.toBe('sure');
  });

  test('sentences are quoted whole, over the ends of lines', async () => {
    const { result } = await app.ask('How much will the repair of the map cost?');
    const quote = /^- "(.*)" \[1\]$/m.exec(result.answerText)?.[1] ?? '';
    expect(quote).toMatch(/^[A-Z].*expected to cost 340 pounds.*\.$/);
  });

  test('fixed sentences are in the language of the question', async () => {
    const said = async (question: string) => (await app.ask(question)).result.answerText;
    expect(await said('Wie hoch ist die Gesamtsumme der Rechnung?')).toMatch(/^Hier arbeitet kein Textmodell/);
    expect(await said('Quel est le montant total de la facture ?')).toMatch(/^Aucun modèle de texte/);
  });

  test('what a document is about is its description', async () => {
    const { result } = await app.ask({
      messages: [{ role: 'user', text: 'What is this document about?' }],
      documentIds: [app.scan.note],
    });
    expect(result.answerText).toContain('memo');
    expect(result.sources.map(({ documentId }) => documentId)).toEqual([app.scan.note]);
    expect(result.cited).toEqual([1]);
  });
});
