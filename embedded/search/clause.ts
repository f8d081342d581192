import type { Document } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { parseFilter } from '../query/filter.ts';
import { matches } from '../query/match.ts';
import type { Operator } from './request.ts';
import { scorePhrase, scoreText } from './score.ts';
import type { SearchIndex } from './search-index.ts';

/** An operator resolved against the index. */
export interface Clause {
  /** The only rows that can match, or `undefined` when only a look at each document tells. */
  rows: ReadonlySet<number> | undefined;
  /** The score the row has if it matches, as far as it is known without the document. */
  rank(row: number): number;
  /** The row's score, or `undefined` when it does not match. */
  check(row: number, doc: Document): number | undefined;
  /** Whether `rank` is final for every row that matches. */
  final: boolean;
  /** Whether `check` looks into the document. */
  reads: boolean;
}

export function resolve(index: SearchIndex, operator: Operator): Clause {
  switch (operator.op) {
    case 'text':
    case 'phrase': {
      const scores = new Map<number, number>();
      for (const path of operator.paths) {
        const field = index.texts.find((text) => text.path === path);
        // As on Atlas, a path the index does not hold matches nothing.
        if (!field) continue;
        for (const query of operator.queries) {
          if (operator.op === 'text') scoreText(field, query, operator, scores);
          else scorePhrase(field, query, scores, operator.boost);
        }
      }
      return {
        rows: new Set(scores.keys()),
        rank: (row) => scores.get(row) ?? 0,
        check: (row) => scores.get(row),
        final: true,
        reads: false,
      };
    }
    case 'in':
      if (!index.mapping.exact.has(operator.path)) {
        throw new MongoFault(
          2,
          `Path '${operator.path}' needs to be indexed as token (or boolean, number, date, objectId) to be compared`,
        );
      }
      return test({ [operator.path]: { $in: operator.values } }, operator.boost);
    case 'exists':
      return test({ [operator.path]: { $exists: true } }, operator.boost);
    case 'compound':
      return compound(index, operator);
  }
}

function test(query: Document, score: number): Clause {
  const filter = parseFilter(query);
  return {
    rows: undefined,
    rank: () => score,
    check: (_row, doc) => (matches(filter, doc) ? score : undefined),
    final: true,
    reads: true,
  };
}

function compound(index: SearchIndex, operator: Operator & { op: 'compound' }): Clause {
  const of = (operators: readonly Operator[]): Clause[] => operators.map((one) => resolve(index, one));
  const [must, should, filter, mustNot] = [
    of(operator.must),
    of(operator.should),
    of(operator.filter),
    of(operator.mustNot),
  ];
  const { minimum, boost } = operator;
  const check = (row: number, doc: Document): number | undefined => {
    if (!filter.every((clause) => clause.check(row, doc) !== undefined)) return undefined;
    if (mustNot.some((clause) => clause.check(row, doc) !== undefined)) return undefined;
    let score = 0;
    for (const clause of must) {
      const part = clause.check(row, doc);
      if (part === undefined) return undefined;
      score += part;
    }
    const parts = should.map((clause) => clause.check(row, doc)).filter((part) => part !== undefined);
    return parts.length < minimum ? undefined : boost * parts.reduce((sum, part) => sum + part, score);
  };
  const required = [...must, ...filter].map((clause) => clause.rows).filter((rows) => rows !== undefined);
  let rows: ReadonlySet<number> | undefined = required[0];
  for (const one of required.slice(1)) rows = new Set(rows?.values().filter((row) => one.has(row)));
  if (!rows && minimum > 0 && should.every((clause) => clause.rows)) {
    rows = new Set(should.flatMap((clause) => [...(clause.rows ?? [])]));
  }
  return {
    rows,
    rank: (row) => boost * [...must, ...should].reduce((sum, clause) => sum + clause.rank(row), 0),
    check,
    final: must.every((clause) => clause.final) && should.every((clause) => !clause.reads),
    reads: [...must, ...should, ...filter, ...mustNot].some((clause) => clause.reads),
  };
}
