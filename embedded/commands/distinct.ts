import { decodeOnly } from '../bson/raw.ts';
import { MongoFault } from '../fault.ts';
import { eachRow } from '../plan/rows.ts';
import { compare } from '../query/compare.ts';
import { someAt } from '../query/path.ts';
import { KeyWriter } from '../storage/key.ts';
import { type Command, collectionOf, filterOf } from './request.ts';

export const distinct: Command = {
  fields: ['key', 'query', 'hint'],
  run: (request) => {
    const { body, engine } = request;
    const path = body['key'];
    if (typeof path !== 'string' || path === '')
      throw new MongoFault(40414, "BSON field 'distinct.key' is missing but a required field");
    const parts = path.split('.');
    const roots = new Set([parts[0] as string]);
    const query = {
      filter: filterOf(body['query'], 'distinct.query'),
      sort: [],
      skip: 0,
      limit: 0,
      hint: body['hint'],
    };
    const collection = collectionOf(request);
    const found = new Map<string, unknown>();
    for (const row of collection ? eachRow(engine.database, collection, query) : []) {
      someAt(decodeOnly(row.bytes, roots), parts, false, (leaf) => {
        for (const value of Array.isArray(leaf) ? leaf : [leaf]) {
          if (value !== undefined) found.set(new KeyWriter().add(value).finish().toString('latin1'), value);
        }
        return false;
      });
    }
    return { values: [...found.values()].toSorted(compare), ok: 1 };
  },
};
