import { afterAll, describe, expect, test } from 'vitest';
import { createComputeThreads } from '#app/compose/compute/threads.ts';
import { codeEvaluators } from '#graphs/evaluators.ts';
import { createEvaluators } from '#graphs/evaluators/create-evaluators.ts';
import { oneAtATime } from '#graphs/evaluators/one-at-a-time.ts';
import { defineEvaluator } from '#graphs/evaluators/define-evaluator.ts';
import type { EvaluatorDeps } from '#graphs/evaluators/evaluator.ts';
import { ComputeLateError, type ComputeThreads } from '#graphs/compute/threads.ts';
import { createChat } from '#src/adapters/models/create-models.ts';
import { AppError } from '#src/domain/app-error.ts';
import { EvaluatorSpec } from '#src/contracts/experiments/evaluator.ts';
import type { Reference } from '#src/contracts/experiments/dataset.ts';
import type { Observation } from '#src/domain/experiments/evaluators/evaluator.ts';
import { observed } from '#test/domain/experiments/score.ts';
import { longestStretch } from '#test/support/longest-stretch.ts';

const stack = new AsyncDisposableStack();
const threads = createComputeThreads(stack);
afterAll(() => stack.disposeAsync());

const none: ComputeThreads = { call: () => Promise.reject(new Error('no thread is needed')) };
const late: ComputeThreads = { call: () => Promise.reject(new ComputeLateError('late')) };
const depsOf = (more: Partial<EvaluatorDeps> = {}): EvaluatorDeps => ({
  chat: createChat({}),
  threads,
  code: codeEvaluators,
  ...more,
});
const create = (specs: readonly object[], more: Partial<EvaluatorDeps> = {}) =>
  createEvaluators(
    specs.map((spec) => EvaluatorSpec.parse(spec)),
    depsOf(more),
  );
async function scoreOf(
  spec: object,
  observation: Observation,
  { reference = null, ...more }: Partial<EvaluatorDeps> & { reference?: Reference | null } = {},
) {
  const [evaluator] = create([spec], more);
  return evaluator?.score(observation, reference, AbortSignal.timeout(60_000));
}
const refused = (specs: readonly object[]): AppError => {
  try {
    create(specs);
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    return error as AppError;
  }
  throw new Error('nothing was refused');
};

/** A text of pseudo-random letters: no two places are alike, which costs the most. */
function lettersOf(length: number, seed: number): string {
  let state = seed;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return String.fromCharCode(97 + ((state >>> 16) % 26));
  }).join('');
}

describe('Evaluators', () => {
  test('are called as their specs say, or after their types', () => {
    const made = create([
      { type: 'cer' },
      { type: 'cer', name: 'cer_of_summary', output: 'summary' },
      { type: 'cost' },
    ]);
    expect(made.map(({ name, type, better, needs }) => ({ name, type, better, needs }))).toEqual([
      { name: 'cer', type: 'cer', better: 'lower', needs: 'text' },
      { name: 'cer_of_summary', type: 'cer', better: 'lower', needs: 'text' },
      { name: 'cost', type: 'cost', better: 'lower', needs: null },
    ]);
  });

  test('are refused with the place of what is wrong', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '(a+)+$' } } };
    expect(refused([{ type: 'cer' }, { type: 'wer', name: 'cer' }]).errors[0]?.pointer).toBe('/evaluators/1/name');
    expect(refused([{ type: 'cer' }, { type: 'regex', pattern: '(' }]).errors[0]?.pointer).toBe(
      '/evaluators/1/pattern',
    );
    expect(refused([{ type: 'json_schema', schema }]).errors[0]).toMatchObject({ pointer: '/evaluators/0/schema' });
    expect(refused([{ type: 'code', evaluator: 'constructor' }]).detail).toContain('There are: total_is_found.');
  });

  test('compare ordinary texts on the event loop, and large ones in a thread with the same result', async () => {
    const [wanted, got] = [lettersOf(3_000, 1), lettersOf(3_000, 2)];
    const small = await scoreOf({ type: 'cer' }, observed({ text: got }), {
      reference: { text: wanted },
      threads: none,
    });
    expect(small?.value).toBeGreaterThan(0.5);
    const [long, other] = [wanted.repeat(3), got.repeat(3)];
    const spec = { type: 'cer', output: 'ocr' };
    const observation = observed({ ocr: { text: other }, text: 'not this one' });
    const inThread = await scoreOf(spec, observation, { reference: { text: long } });
    expect(inThread).toEqual(await scoreOf(spec, observation, { reference: { text: long }, threads: null }));
  });

  test('leave the event loop free while large texts are compared', async () => {
    const [wanted, got] = [lettersOf(24_000, 3), lettersOf(24_000, 4)];
    const work = () => scoreOf({ type: 'cer' }, observed({ text: got }), { reference: { text: wanted } });
    const { outcome, ms } = await longestStretch(work);
    expect(outcome).toMatchObject({ status: 'fulfilled', value: { quality: expect.any(Number) as number } });
    expect(ms).toBeLessThan(100);
  });

  test('match large patterns in a thread, and ordinary ones on the event loop', async () => {
    const page = observed({ text: lettersOf(3_000, 8) });
    const ordinary = String.raw`(?:Total|Summe)\s*:?\s*[0-9]+[.,][0-9]{2}`;
    expect(await scoreOf({ type: 'regex', pattern: ordinary }, page, { threads: none })).toMatchObject({ value: 0 });
    const large = { type: 'regex', pattern: String.raw`\p{L}{1,900}[0-9]` };
    await expect(scoreOf(large, page, { threads: none })).rejects.toThrow('no thread is needed');
    const { outcome, ms } = await longestStretch(() => scoreOf(large, page));
    expect(outcome).toMatchObject({ status: 'fulfilled', value: { value: 0 } });
    expect(ms).toBeLessThan(100);
  });

  test('that share threads use one at a time, in order', async () => {
    const order: string[] = [];
    const ends: (() => void)[] = [];
    const counted: ComputeThreads = {
      call: async () => {
        order.push('begun');
        await new Promise<void>((resolve) => ends.push(resolve));
        order.push('ended');
        return { value: 0, quality: 1 };
      },
    };
    const text = lettersOf(9_000, 7);
    const specs = ['cer', 'wer', 'exact'].map((type) => ({ type }));
    const scores = create(specs, { threads: oneAtATime(counted) }).map((one) =>
      one.score(observed({ text }), { text }, AbortSignal.timeout(60_000)),
    );
    for (const count of [1, 2, 3]) {
      await expect.poll(() => ends.length).toBe(count);
      ends.at(-1)?.();
    }
    await Promise.all(scores);
    expect(order).toEqual(['begun', 'ended', 'begun', 'ended', 'begun', 'ended']);
  });

  test('give no score for a comparison that takes too long, and end with their signal', async () => {
    const text = lettersOf(9_000, 5);
    const score = await scoreOf({ type: 'wer' }, observed({ text }), { reference: { text }, threads: late });
    expect(score).toMatchObject({ value: null, quality: null, note: expect.stringContaining('30000 ms') as string });
    const [evaluator] = create([{ type: 'cer' }]);
    const aborted = AbortSignal.abort(new Error('the experiment was canceled'));
    await expect(evaluator?.score(observed({ text }), { text }, aborted)).rejects.toThrow('was canceled');
  });

  test.each([String.raw`(\p{L}{1,300}|[a-z]{1,400})+[0-9]$`, '(a|b|ab)*c{500}', '(.*a){20}.*#', '(x+x+)+[0-9]'])(
    'match the pattern %s in time, over a text made for it',
    async (pattern) => {
      const text = `${lettersOf(20_000, 6)}${'a'.repeat(19_000)}${'x'.repeat(900)}!`;
      expect(await scoreOf({ type: 'regex', pattern }, observed({ text }))).toEqual({ value: 0, quality: 0 });
    },
  );
});

describe('The evaluator json_schema', () => {
  const schema = {
    type: 'object',
    properties: { total: { type: 'number' }, date: { type: 'string' } },
    required: ['total'],
  };

  test('is 1 for an output that fits, else 0 with the reasons', async () => {
    expect(await scoreOf({ type: 'json_schema', schema }, observed({ fields: { total: 3 } }))).toEqual({
      value: 1,
      quality: 1,
    });
    expect(await scoreOf({ type: 'json_schema', schema }, observed({ fields: { date: 3 } }))).toEqual({
      value: 0,
      quality: 0,
      note: "the answer must have required property 'total'; /date must be string",
    });
    const nested = observed({ facts: { money: { total: 3 } } });
    const spec = { type: 'json_schema', schema, output: 'facts', path: 'money' };
    expect(await scoreOf(spec, nested, { threads: null })).toEqual({ value: 1, quality: 1 });
  });

  test('is 0 without the output and for a run that failed, and no score where time ran out', async () => {
    const spec = { type: 'json_schema', schema };
    expect(await scoreOf(spec, observed({}))).toEqual({
      value: 0,
      quality: 0,
      note: 'The run has no output "fields".',
    });
    const failed = observed({ fields: { total: 3 } }, { status: 'timed_out' });
    expect(await scoreOf(spec, failed)).toEqual({ value: 0, quality: 0, note: 'The run timed out.' });
    expect(await scoreOf(spec, observed({ fields: { total: 3 } }), { threads: late })).toMatchObject({ value: null });
  });
});

describe('Evaluators in code', () => {
  const spec = { type: 'code', evaluator: 'total_is_found' };
  const reference = { fields: { total: '29,41 €' } };
  const receipt = (fields: object) => observed({ fields });

  test('total_is_found finds the total under any name', async () => {
    const amount = { value: { amount: 29.41, currency: 'EUR' }, verified: true };
    expect(await scoreOf(spec, receipt({ amount_due: amount, missing: [] }), { reference })).toEqual({
      value: 1,
      quality: 1,
    });
    expect(await scoreOf(spec, receipt({ total: 29.14 }), { reference })).toEqual({
      value: 0,
      quality: 0,
      note: 'No field has the total 29,41 €.',
    });
    expect(await scoreOf(spec, observed({}), { reference })).toMatchObject({ value: 0, quality: 0 });
  });

  test('judge nothing without what they need, and give a failed run the worst value', async () => {
    expect(await scoreOf(spec, receipt({ total: 29.41 }))).toMatchObject({ value: null, quality: null });
    const otherFields = { reference: { fields: { date: null } } };
    expect(await scoreOf(spec, receipt({ total: 29.41 }), otherFields)).toMatchObject({ value: null, quality: null });
    const failed = observed({ fields: { total: 29.41 } }, { status: 'failed' });
    expect(await scoreOf(spec, failed, { reference })).toMatchObject({ value: 0, quality: 0 });
  });

  test('may prefer less, and may not leave 0 to 1', async () => {
    const blank = (value: number) =>
      defineEvaluator({
        name: 'blanks',
        description: 'Share of blanks',
        better: 'lower',
        needs: null,
        score: () => ({ value }),
      });
    const judged = (value: number, status: Observation['status'] = 'succeeded') =>
      scoreOf({ type: 'code', evaluator: 'blanks' }, observed({}, { status }), { code: [blank(value)] });
    expect(await judged(0.25)).toEqual({ value: 0.25, quality: 0.75 });
    expect(await judged(0.25, 'failed')).toMatchObject({ value: 1, quality: 0 });
    await expect(judged(1.5)).rejects.toThrow('Evaluator blanks returned 1.5, not 0 to 1');
    await expect(judged(Number.NaN)).rejects.toThrow('not 0 to 1');
  });
});
