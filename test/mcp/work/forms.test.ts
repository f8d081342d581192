import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answerProblem } from '#src/domain/runs/answer.ts';
import { StepProgress } from '#src/domain/runs/progress.ts';
import { plainName, plainText } from '#mcp/present/neutralize.ts';
import { progressReport } from '#mcp/progress.ts';
import { answerForm } from '#mcp/tasks/answer-form.ts';

describe('the form of an answer', () => {
  const flat = {
    type: 'object',
    properties: { ok: { type: 'boolean' }, n: { enum: [1, 'two', null] } },
    required: ['ok', 'n'],
  };

  it.each<[string, Record<string, unknown> | null, Record<string, unknown>, unknown]>([
    ['options', { enum: ['yes', 'no'] }, { answer: 'yes' }, 'yes'],
    ['options that are no text', { enum: [1, true, null, { a: 1 }] }, { answer: '{"a":1}' }, { a: 1 }],
    ['one value', { const: 7 }, { answer: '7' }, 7],
    ['text with bounds', { type: 'string', minLength: 2, maxLength: 5 }, { answer: 'tea' }, 'tea'],
    ['a number', { type: 'integer', minimum: 1 }, { answer: 3 }, 3],
    ['several of some', { type: 'array', items: { enum: ['a', 'b'] }, minItems: 1 }, { answer: ['b'] }, ['b']],
    ['a flat object', flat, { ok: true, n: 'null' }, { ok: true, n: null }],
    [
      'a nested object',
      { type: 'object', properties: { a: flat } },
      { answer: '{"a":{"ok":true,"n":1}}' },
      { a: { ok: true, n: 1 } },
    ],
    ['a choice of types', { type: ['string', 'null'] }, { answer: 'null' }, null],
    ['anything', {}, { answer: '12' }, '12'],
    ['nothing said', null, { answer: 'words' }, 'words'],
  ])('asks for %s and reads what fits', (_, schema, content, answer) => {
    const form = answerForm(schema);
    expect(form.read(content)).toEqual(answer);
    expect(answerProblem({ answerSchema: schema }, form.read(content))).toBeNull();
    for (const property of Object.values(form.requestedSchema.properties))
      expect(['string', 'number', 'integer', 'boolean', 'array']).toContain(property.type);
  });

  it('takes what is no JSON as the text it is, for the run to refuse', () => {
    const form = answerForm({ type: 'object' });
    expect(form.read({ answer: 'no JSON' })).toBe('no JSON');
    expect(form.requestedSchema.properties['answer']).toMatchObject({
      description: expect.stringContaining('"object"'),
    });
    expect(form.read({})).toBeUndefined();
  });
});

describe('words of others in a question', () => {
  const pieces = fc.constantFrom(
    'a',
    'é',
    '😀',
    ' ',
    '\n',
    '\t',
    '\0',
    '“',
    '”',
    '"',
    '\u202e',
    '\ud800',
    '</untrusted-document>',
  );

  it('stay on one line, between their quotes, without what is not seen', () => {
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 200 }).map((all) => all.join('')),
        (name) => {
          const shown = plainName(name);
          expect(shown).toMatch(/^“[^“”]*”$/u);
          expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
          expect(shown.length).toBeLessThan(90);
        },
      ),
    );
    expect(plainText('a\r\nb\u0007\t\u202e</untrusted-document>', 100)).toBe('a\nb\t&lt;/untrusted-document>');
  });
});

describe('how far runs have come', () => {
  it('never goes back, never beyond, and is whole at the end, whatever order things are told in', () => {
    const happening = fc.record({
      run: fc.integer({ min: 0, max: 2 }),
      node: fc.constantFrom('a', 'b', 'c', 'a#3', 'b[1]', 'in/a', 'x', null),
      pagesRead: fc.option(fc.integer({ min: 1, max: 9 })),
    });
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 40 }), (happenings) => {
        const progress = new StepProgress(['a', 'b', 'c'], 3);
        let before = 0;
        const check = () => {
          expect(progress.done).toBeGreaterThanOrEqual(before);
          expect(progress.done).toBeLessThanOrEqual(progress.total);
          before = progress.done;
        };
        const read = new Map<string, number>();
        for (const { run, node, pagesRead } of happenings) {
          if (node === null) progress.runIs(`run_${run}`, 'failed');
          else if (pagesRead === null) progress.stepFinished(`run_${run}`, node);
          else {
            // A step reads more and more pages, and one at a time.
            const most = Math.max(pagesRead, read.get(`run_${run}`) ?? 0);
            read.set(`run_${run}`, most);
            progress.pagesRead(`run_${run}`, { nodeId: 'a', pagesRead: most, pages: 9 });
          }
          check();
        }
        for (const run of [0, 1, 2]) progress.runIs(`run_${run}`, 'succeeded');
        check();
        expect(progress).toMatchObject({ done: 9, total: 9, endedRuns: 3 });
      }),
    );
  });

  it('counts a step that reads pages by its pages, also the last one and beside other steps', () => {
    const progress = new StepProgress(['load', 'read', 'embed'], 1);
    const reads = (pagesRead: number): number => {
      progress.pagesRead('run', { nodeId: 'read', pagesRead, pages: 9 });
      return progress.done;
    };
    progress.stepFinished('run', 'load');
    expect([reads(1), progress.pages]).toEqual([1.1, { pagesRead: 1, pages: 9 }]);
    progress.stepFinished('run', 'embed');
    expect(progress.done).toBe(2.1);
    expect([reads(9), progress.finishedSteps]).toEqual([2.9, 2]);
    progress.stepFinished('run', 'read');
    expect(progress.done).toBe(2.9);
    progress.runIs('run', 'succeeded');
    expect([progress.done, progress.pages]).toEqual([3, null]);
    // Late news.
    expect(reads(4)).toBe(3);
  });

  it('counts a node of a loop once, and none of a workflow inside', () => {
    const progress = new StepProgress(['a', 'b', 'c'], 1);
    for (const path of ['a#1', 'a#2', 'in/b', 'b[0]', 'b[1]']) progress.stepFinished('run', path);
    progress.runIs('run', 'waiting');
    expect(progress.done).toBe(2);
  });
});

describe('notifications of progress', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const listening = (meta: object | undefined, notify: (notification: any) => Promise<void>) =>
    progressReport({ mcpReq: { _meta: meta, notify } } as never);
  const step = (done: number) => ({ done, total: 9, message: `${done}` });

  it('rise, are at most five in a second, and end with the newest', () => {
    const sent: unknown[] = [];
    const report = listening({ progressToken: 0 }, async ({ params }) => void sent.push(params.progress));
    for (const done of [1, 3, 2]) report?.report(step(done));
    expect(sent).toEqual([1]);
    vi.advanceTimersByTime(200);
    expect(sent).toEqual([1, 3]);
    vi.advanceTimersByTime(1_000);
    report?.report(step(3));
    report?.report(step(4));
    report?.report(step(5));
    report?.end();
    vi.advanceTimersByTime(1_000);
    expect(sent).toEqual([1, 3, 4, 5]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are none without a token, and a client that is gone does not matter', async () => {
    expect(listening(undefined, async () => undefined)).toBeNull();
    const report = listening({ progressToken: 'x' }, () => Promise.reject(new Error('gone')));
    report?.report(step(1));
    await vi.runAllTimersAsync();
    report?.end();
  });
});
