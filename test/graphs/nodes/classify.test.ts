import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { classify } from '#graphs/nodes/classify.ts';
import { attempt, errorOf, modelBench, said, type ModelBench } from '#test/graphs/support/model-nodes.ts';
import { pageOf } from '#test/support/records.ts';
import { chatStream } from '#test/support/servers/openai-server.ts';

let bench: ModelBench;
beforeAll(async () => {
  bench = await modelBench();
});
afterAll(() => bench.close());

const labels = [
  { label: 'Rechnung', keywords: ['Rechnung', 'invoice', 'zahlbar bis'] },
  { label: 'Mahnung', keywords: ['Mahnung', 'letzte Erinnerung'], description: 'Reminders of unpaid invoices' },
];
const text = 'RECHNUNG 17\nZahlbar bis 3.5.2024\nUnsere Rechnung vom April';
const answer = { label: 'Mahnung', confidence: 0.8, evidence: ['zahlbar  BIS 3.5.2024', 'not in the text'] };

describe('The node classify, by rules', () => {
  test('chooses by keywords, with the matched words as evidence and without a model', async () => {
    await using ready = await bench.deps(null);
    const state = await bench.ocr(pageOf(text));
    const { update, usage, modelLabel } = await attempt(classify, { deps: ready.deps, config: { labels }, state });
    expect(update).toEqual({
      classification: {
        label: 'Rechnung',
        confidence: expect.any(Number) as number,
        evidence: ['rechnung', 'zahlbar bis'],
        modelLabel: 'local/rules-1',
      },
    });
    expect(modelLabel).toBe('local/rules-1');
    expect(usage).toMatchObject({ provider: 'local', model: 'rules-1' });
  });

  test('is surer the more speaks for one label and the less for another', async () => {
    await using ready = await bench.deps(null);
    const sure = async (words: string): Promise<number> => {
      const state = await bench.ocr(pageOf(words));
      const { update } = await attempt(classify, { deps: ready.deps, config: { labels }, state });
      return (update['classification'] as { confidence: number }).confidence;
    };
    const [one, two, torn] = [
      await sure('Rechnung'),
      await sure('Rechnung zahlbar bis Mai'),
      await sure('Rechnung Mahnung'),
    ];
    expect(two).toBeGreaterThan(one);
    expect(torn).toBeLessThan(one);
  });

  test('goes by the cues of the document type that a label without keywords names', async () => {
    await using ready = await bench.deps(null);
    const state = await bench.ocr(pageOf('Kassenbon\nZwischensumme 3,20'));
    const config = { labels: [{ label: 'Invoice' }, { label: 'Receipt' }] };
    const { update } = await attempt(classify, { deps: ready.deps, config, state });
    expect(update['classification']).toMatchObject({ label: 'Receipt', evidence: ['kassenbon', 'zwischensumme'] });
  });

  test('a keyword is a whole word', async () => {
    await using ready = await bench.deps(null);
    const state = await bench.ocr(pageOf('Abrechnungen und Mahnungen'));
    const { update } = await attempt(classify, { deps: ready.deps, config: { labels }, state });
    expect(update['classification']).toMatchObject({ label: 'unknown', confidence: 0, evidence: [] });
  });

  test('text that speaks for nothing fails where unknown is not allowed, and says the way out', async () => {
    await using ready = await bench.deps(null);
    const state = await bench.ocr(pageOf('Nothing of the kind'));
    const config = { labels, allowUnknown: false };
    const thrown = await errorOf(attempt(classify, { deps: ready.deps, config, state }));
    expect(thrown.code).toBe('run.needs_input');
    expect(thrown.detail).toContain('allowUnknown');
  });
});

describe('The node classify, by a model', () => {
  test('takes the label, and of its quotes those that are in the text, as they stand there', async () => {
    await using ready = await bench.deps([chatStream(answer)]);
    const state = await bench.ocr(pageOf(text));
    const { update, usage } = await attempt(classify, { deps: ready.deps, config: { labels }, state });
    expect(update).toEqual({
      classification: {
        label: 'Mahnung',
        confidence: 0.8,
        evidence: ['Zahlbar bis 3.5.2024'],
        modelLabel: 'openai/talk-1',
      },
    });
    expect(usage).toMatchObject({ provider: 'openai', inputTokens: 100 });
    const { system, user } = said(ready.server, 0);
    expect(system).toContain('- Mahnung: Reminders of unpaid invoices');
    expect(system).not.toContain('April');
    expect(user).toMatch(/<(document_text_[0-9a-f]{12})>\nRECHNUNG 17/);
  });

  test('a label outside the set is repaired once', async () => {
    await using ready = await bench.deps([chatStream({ ...answer, label: 'Brief' }), chatStream(answer)]);
    const state = await bench.ocr(pageOf(text));
    const { update, usage } = await attempt(classify, { deps: ready.deps, config: { labels }, state });
    expect(update['classification']).toMatchObject({ label: 'Mahnung' });
    expect(usage).toMatchObject({ inputTokens: 200 });
    expect(said(ready.server, 1).all[3].content).toContain('/label');
  });

  test('a label that stays outside the set is model.output_invalid, unknown too where it is not allowed', async () => {
    await using ready = await bench.deps([chatStream({ ...answer, label: 'unknown' })]);
    const config = { labels, allowUnknown: false };
    const thrown = await errorOf(attempt(classify, { deps: ready.deps, config, state: await bench.ocr(pageOf(text)) }));
    expect(thrown.code).toBe('model.output_invalid');
    expect(thrown.detail).toContain('/label');
  });

  test('unknown is a label where it is allowed', async () => {
    await using ready = await bench.deps([chatStream({ label: 'unknown', confidence: 0.4, evidence: [] })]);
    const { update } = await attempt(classify, { deps: ready.deps, config: { labels } });
    expect(update['classification']).toMatchObject({ label: 'unknown', confidence: 0.4 });
  });

  test('the engine rules asks no model though there is one, and the engine model fails without one', async () => {
    await using ready = await bench.deps([chatStream(answer)]);
    const state = await bench.ocr(pageOf(text));
    await attempt(classify, { deps: ready.deps, config: { labels, engine: 'rules' }, state });
    expect(ready.server.seen).toHaveLength(0);
    const depends = (engine: 'auto' | 'rules') =>
      classify.dependsOn?.(ready.deps, classify.params.parse({ labels, engine }));
    expect([depends('auto'), depends('rules')]).toEqual([['openai/talk-1'], ['local/rules-1']]);
    await using bare = await bench.deps(null);
    const thrown = await errorOf(attempt(classify, { deps: bare.deps, config: { labels, engine: 'model' }, state }));
    expect(thrown.code).toBe('model.unavailable');
  });
});

test.each([
  ['one label', [{ label: 'a' }]],
  ['the same label twice', [{ label: 'a' }, { label: 'a' }]],
  ['51 labels', Array.from({ length: 51 }, (_, index) => ({ label: `l${index}` }))],
])('classify refuses %s', (_name, wrong) => {
  expect(classify.params.safeParse({ labels: wrong }).error?.issues[0]?.path).toEqual(['labels']);
});
