import { describe, expect, it } from 'vitest';
import type { Reference } from '#src/contracts/experiments/dataset.ts';
import { observed, scored } from '#test/domain/experiments/score.ts';

const matched = (wanted: Reference['fields'], fields: unknown, more: object = {}) =>
  scored({ type: 'field_match', ...more }, observed({ fields }), { fields: wanted });
const found = (value: unknown) => ({ value, evidence: null, confidence: 1, verified: true });

describe('field_match', () => {
  it('finds precision and recall over right, wrong, missing and invented fields', () => {
    const wanted = { total: 29.41, date: '2024-03-05', merchant: 'Juniper Lane', tax: null, iban: 'DE89' };
    const score = matched(wanted, { total: 29.41, date: '2024-03-06', merchant: null, tax: 1.5, iban: 'DE89' });
    // 2 right of 4 found and of 4 wanted.
    expect(score.value).toBeCloseTo(0.5, 12);
    expect(score.note).toBe('Fields: date wrong, merchant missing, tax invented.');
  });

  it('reads the fields of an extraction, without the facts beside them', () => {
    const extraction = {
      total: found({ amount: 29.41, currency: 'EUR' }),
      date: found('2024-03-05'),
      paid: found(true),
      tax: found(null),
      missing: ['tax'],
      modelLabel: 'local/rules',
      ocrResultId: 'x',
    };
    const wanted = { total: '29,41 €', date: '5 March 2024', paid: 'yes', tax: null };
    expect(matched(wanted, extraction, { extra: 'count' })).toEqual({ value: 1, quality: 1 });
  });

  it.each([
    ['1.234,50 EUR', 1234.5, true],
    ['29.41', 29.41, true],
    ['29.41 EUR', '29,41 USD', false],
    ['29.41', '29,41 USD', true],
    ['05.03.2024', '2024-03-05', true],
    ['March 5, 2024', '2024-03-06', false],
    ['  Juniper\n Lane ', 'juniper lane', true],
    ['00123', '123', false],
    ['00123', 123, false],
    ['A-17', 'A-18', false],
    ['17', '18', false],
    ['12345678901', '12345678909', false],
    ['4111111111111111', '4111111111111112', false],
    [12345678901, '12345678902', false],
    [0.3, 0.1 + 0.2, true],
    [true, 'ja', true],
    [true, 'nein', false],
    [false, 0, false],
    ['é', 'e\u0301', true],
    ['a, b', ['a', 'b'], true],
  ])('compares %j with %j: %j', (wanted, got, same) => {
    expect(matched({ field: wanted }, { field: got }).value).toBe(Number(same));
  });

  it('accepts numbers within the tolerance, and case as the evaluator says', () => {
    expect(matched({ total: 10 }, { total: 10.4 }, { tolerance: 0.5 }).value).toBe(1);
    expect(matched({ total: 10 }, { total: 10.6 }, { tolerance: 0.5 }).value).toBe(0);
    expect(matched({ name: 'Ann' }, { name: 'ANN' }, { ignoreCase: false }).value).toBe(0);
  });

  it('counts fields that the reference does not name only if told to', () => {
    const fields = { total: 1, other: 'invented' };
    expect(matched({ total: 1 }, fields).value).toBe(1);
    expect(matched({ total: 1 }, fields, { extra: 'count' }).value).toBeCloseTo(2 / 3, 12);
    expect(matched({ total: 1, date: '2024-01-01' }, fields, { fields: ['total'] }).value).toBe(1);
    expect(matched({ date: '2024-01-01' }, fields, { fields: ['total'] }).value).toBeNull();
  });

  it('is 1 where there is nothing to find and nothing was found', () => {
    expect(matched({ total: null }, { total: '' })).toEqual({ value: 1, quality: 1 });
    expect(matched({ total: null }, { total: { value: null } }).value).toBe(1);
  });

  it('gives a failed run and a run without fields 0', () => {
    const failed = observed({ fields: { total: null } }, { status: 'failed' });
    expect(scored({ type: 'field_match' }, failed, { fields: { total: null } })).toMatchObject({
      value: 0,
      quality: 0,
    });
    expect(matched({ total: 1 }, undefined)).toMatchObject({
      value: 0,
      note: 'The run has no fields in output "fields".',
    });
  });

  it('takes names such as constructor and __proto__ for names', () => {
    const wanted = { constructor: 'a', toString: 'b' } as unknown as Reference['fields'];
    expect(matched(wanted, {})).toMatchObject({ value: 0, note: 'Fields: constructor missing, toString missing.' });
    expect(matched(JSON.parse('{"__proto__":"a"}') as Reference['fields'], JSON.parse('{"__proto__":"a"}')).value).toBe(
      1,
    );
  });

  it('names at most ten wrong fields', () => {
    const wanted = Object.fromEntries(Array.from({ length: 14 }, (_, at) => [`f${at}`, 'x']));
    expect(matched(wanted, {}).note).toMatch(/^Fields: f0 missing, .*f9 missing, and 4 more\.$/);
  });
});

describe('label_accuracy', () => {
  const judged = (output: object, more: object = {}) =>
    scored({ type: 'label_accuracy', ...more }, observed({ ...output }), { label: 'Invoice' });

  it('compares labels, of a classification and of a member too', () => {
    expect(judged({ label: ' invoice ' }).value).toBe(1);
    expect(judged({ label: ' invoice ' }, { ignoreCase: false }).value).toBe(0);
    expect(judged({ label: 'letter' })).toEqual({ value: 0, quality: 0, note: 'Found "letter".' });
    const classification = { classification: { label: 'invoice', confidence: 0.9 } };
    expect(judged(classification, { output: 'classification' }).value).toBe(1);
    expect(judged(classification, { output: 'classification', path: 'label' }).value).toBe(1);
  });

  it('gives a failed run and a run without label 0, and judges nothing without a reference', () => {
    expect(judged({})).toMatchObject({ value: 0, quality: 0 });
    expect(scored({ type: 'label_accuracy' }, observed({}, { status: 'failed' }), { label: 'x' }).value).toBe(0);
    expect(scored({ type: 'label_accuracy' }, observed({ label: 'x' }), {}).value).toBeNull();
  });
});

describe('iou', () => {
  const regions: Reference['regions'] = [
    { page: 0, label: 'total', box: [0.1, 0.1, 0.3, 0.2] },
    { page: 1, label: 'date', box: [0.5, 0.5, 0.9, 0.6] },
  ];
  const segments = [
    { page: 0, label: 'Total', box: [0.1, 0.1, 0.2, 0.1] },
    { page: 1, label: 'date', box: [0.5, 0.5, 0.4, 0.1] },
  ];
  const judged = (output: unknown, more: object = {}) =>
    scored({ type: 'iou', ...more }, observed({ regions: output }), { regions });

  it('matches regions by page, label and overlap', () => {
    expect(judged(segments)).toEqual({
      value: 1,
      quality: 1,
      note: '2 of 2 regions found, 0 invented, mean overlap 1.00.',
    });
    const shifted = [segments[0], { page: 0, label: 'date', box: [0.5, 0.5, 0.4, 0.1] }];
    expect(judged(shifted).value).toBe(0.5);
    expect(judged([{ ...segments[0], label: 'tax' }, segments[1]]).value).toBe(0.5);
    expect(judged([{ ...segments[0], label: 'tax' }, segments[1]], { ignoreLabels: true }).value).toBe(1);
  });

  it('needs the overlap of the threshold', () => {
    // Half of the width is shared: 0.1 of 0.3.
    const half = [{ page: 0, label: 'total', box: [0.2, 0.1, 0.2, 0.1] }, segments[1]];
    expect(judged(half).value).toBe(0.5);
    expect(judged(half, { threshold: 0.33 }).value).toBe(1);
  });

  it('counts a second region on the same place as invented', () => {
    expect(judged([...segments, segments[0]]).value).toBeCloseTo((2 * 2) / 5, 12);
  });

  it('lets one region stand for one region of the reference only', () => {
    const box: [number, number, number, number] = [0.1, 0.1, 0.3, 0.2];
    const twice = { regions: [0, 1].map(() => ({ page: 0, label: 'total', box })) };
    expect(scored({ type: 'iou' }, observed({ regions: [segments[0]] }), twice).value).toBeCloseTo(2 / 3, 12);
  });

  it('takes the regions of a segmentation', () => {
    const output = { segmentation: { segmentationId: 'x', regions: segments } };
    expect(scored({ type: 'iou', output: 'segmentation' }, observed(output), { regions }).value).toBe(1);
  });

  it('survives boxes that are no boxes', () => {
    expect(judged([null, 7, { box: 'x' }, { box: [Number.NaN, 0, 1, 1] }, { box: [0, 0, -1, 1] }])).toMatchObject({
      value: 0,
    });
  });

  it('is 1 for no regions where there are none, 0 for a failed run', () => {
    expect(scored({ type: 'iou' }, observed({ regions: [] }), { regions: [] }).value).toBe(1);
    expect(scored({ type: 'iou' }, observed({ regions: [] }, { status: 'failed' }), { regions: [] }).value).toBe(0);
    expect(judged(undefined)).toMatchObject({ value: 0, quality: 0 });
  });
});

describe('ocr_confidence, latency and cost', () => {
  it('reports what the run took, without a quality where there is no bound', () => {
    const run = observed({}, { ocrConfidence: 87.5, ms: 1_200, costUsd: 0.003 });
    expect(scored({ type: 'ocr_confidence' }, run)).toEqual({ value: 87.5, quality: 0.875 });
    expect(scored({ type: 'latency' }, run)).toEqual({ value: 1_200, quality: null });
    expect(scored({ type: 'cost' }, run)).toEqual({ value: 0.003, quality: null });
  });

  it('judges nothing that was not measured', () => {
    for (const type of ['ocr_confidence', 'latency', 'cost'])
      expect(scored({ type }, observed({}))).toMatchObject({ value: null, quality: null });
  });

  it('gives a failed run no confidence, and no reward for ending early', () => {
    const failed = observed({}, { status: 'failed', ms: 3, ocrConfidence: 99 });
    expect(scored({ type: 'ocr_confidence' }, failed)).toMatchObject({ value: 0, quality: 0 });
    expect(scored({ type: 'latency' }, failed)).toMatchObject({ value: null, quality: null });
  });
});
