import type { RecordRecord } from '#src/domain/records/record.ts';

/** Most characters of a document's corrected values in search. */
const longest = 4_000;

function textOf(value: RecordRecord['cells'][number]['value']): string {
  if (value === null || typeof value === 'boolean') return '';
  if (typeof value === 'object') return [value.amount.toFixed(2), value.currency ?? ''].join(' ').trim();
  return String(value);
}

/** Values that people and agents gave in the records of a document, each once, in lines. Other values stand in its text. */
export function correctedText(records: readonly Pick<RecordRecord, 'cells'>[]): string {
  const given = records.flatMap(({ cells }) => cells.filter(({ by }) => by === 'person' || by === 'agent'));
  const texts = given.map(({ value }) => textOf(value)).filter((text) => text !== '');
  return [...new Set(texts)].join('\n').slice(0, longest).toWellFormed();
}
