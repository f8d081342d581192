import { afterAll, describe, expect, test } from 'vitest';
import type { Collections } from '#src/stores/collections.ts';
import { segmentationText } from '#src/domain/chat/passages.ts';
import type { Excerpt } from '#src/contracts/resources/chat.ts';
import { openCollections } from '#test/spec/support/open-collections.ts';
import { answerable, unanswerable } from '#test/tools/chat/support/questions.ts';
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

  test.each(unanswerable)('$question has no answer here: that is said, and nothing is cited', async ({ question }) => {
    const { result } = await app.ask(question);
    expect(result).toMatchObject({ sources: [], cited: [] });
    expect(result.answerText).toMatch(/^I found nothing|^In diesen Dokumenten habe ich nichts|^Je n’ai rien/);
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
