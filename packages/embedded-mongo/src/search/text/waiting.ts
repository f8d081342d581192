import type { Postings } from './postings.ts';
import { type Lengths, lengthsOf, type Segment } from './segment.ts';
import { SEPARATOR, Vocabulary } from './vocabulary.ts';

/** A row that is not entered yet: of each field its numbers, and where among them those of a term begin. */
export interface WaitingRow {
  row: number;
  version: number;
  fields: Map<number, { terms: Map<string, number>; numbers: number[]; vocabulary?: Vocabulary }>;
}

/** Rows by field and term. Outdated ones may stay among them. */
type Holders = Map<string, WaitingRow[]>;

const keyOf = (field: number, term: string): string => String.fromCharCode(field) + term;

/** Outdated rows that are kept besides as many as wait. */
const MOST_OUTDATED = 64;

/** The rows that wait, found by their terms. Each row is read once, and added to what is known of the others. */
export class WaitingRows {
  #rows = new Map<number, WaitingRow>();
  #holders: Holders = new Map();
  #added = 0;

  /** Number of rows that are kept, outdated ones included. */
  get kept(): number {
    return this.#added;
  }

  /** Opens what waits now. An earlier segment still finds its own rows. `read` reads the fields of a row that is new or changed. */
  open(
    held: readonly [row: number, version: number][],
    read: (row: number) => WaitingRow['fields'],
  ): Segment | undefined {
    const known = this.#rows;
    this.#rows = new Map(
      held.map(([row, version]) => {
        const one = known.get(row);
        return [row, one?.version === version ? one : this.#add({ row, version, fields: read(row) })];
      }),
    );
    if (this.#added > 2 * this.#rows.size + MOST_OUTDATED) this.#forgetOutdated();
    const live = [...this.#rows.values()].filter(({ fields }) => fields.size > 0);
    return live.length > 0 ? openWaiting(live, this.#holders) : undefined;
  }

  #add(one: WaitingRow): WaitingRow {
    this.#added++;
    for (const [field, { terms }] of one.fields) {
      for (const term of terms.keys()) {
        const key = keyOf(field, term);
        const holders = this.#holders.get(key);
        if (holders) holders.push(one);
        else this.#holders.set(key, [one]);
      }
    }
    return one;
  }

  #forgetOutdated(): void {
    this.#holders = new Map();
    this.#added = 0;
    for (const one of this.#rows.values()) this.#add(one);
  }
}

function openWaiting(held: readonly WaitingRow[], holders: Holders): Segment {
  const lengths = new Map<number, Lengths>();
  const byRow = new Map(held.map(({ row, fields }) => [row, fields]));
  const numbers = new Map(held.map((one, number) => [one, number]));
  const postings = (field: number, term: string, withPlaces = false): Postings | undefined => {
    const rows = (holders.get(keyOf(field, term)) ?? [])
      .flatMap((one) => numbers.get(one) ?? [])
      .toSorted((a, b) => a - b);
    if (rows.length === 0) return undefined;
    const [counts, places]: [number[], number[]] = [[], []];
    for (const number of rows) {
      const { terms, numbers: all } = (held[number] as WaitingRow).fields.get(field) as {
        terms: Map<string, number>;
        numbers: number[];
      };
      const at = terms.get(term) as number;
      const count = all[at] as number;
      counts.push(count);
      if (withPlaces) for (const place of all.slice(at + 1, at + 1 + count)) places.push(place);
    }
    return { rows: Uint16Array.from(rows), counts, places: Uint32Array.from(places) };
  };
  return {
    size: held.length,
    dead: undefined,
    rowAt: (number) => (held[number] as WaitingRow).row,
    postings,
    lengths(field) {
      const known = lengths.get(field) ?? lengthsOf(held.length, postings(field, ''));
      lengths.set(field, known);
      return known;
    },
    vocabularies: (field) =>
      held.flatMap(({ fields }) => {
        const own = fields.get(field);
        return own ? (own.vocabulary ??= new Vocabulary([...own.terms.keys()].join(SEPARATOR))) : [];
      }),
    keyOf(field, row) {
      const [key, ...others] = (byRow.get(row)?.get(field)?.terms.keys() ?? []).filter((term) => term !== '');
      return others.length > 0 ? undefined : key;
    },
  };
}
