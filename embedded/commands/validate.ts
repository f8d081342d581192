import { Binary } from 'bson';
import { MongoFault } from '../fault.ts';
import { checkCollection } from '../storage/check.ts';
import { collectionOf, command, flag, namespaceOf, without } from './request.ts';

/** MongoDB's full check: every document is read and every index compared with them. It mends nothing. */
export const validate = command({
  fields: {
    full: flag,
    checkBSONConformance: flag,
    ...without('metadata', 'repair', 'fixMultikey', 'background'),
  },
  run: (request) => {
    const { engine } = request;
    const collection = collectionOf(request);
    if (!collection) throw new MongoFault(26, `Collection '${namespaceOf(request)}' does not exist to validate.`);
    const errors: string[] = [];
    const nrecords = checkCollection(engine.database, collection, errors);
    const byIndex = <T>(value: (table: string, name: string) => T): Record<string, T> =>
      Object.fromEntries(collection.indexes.map(({ name, table }) => [name, value(table, name)]));
    return {
      ns: collection.namespace,
      uuid: new Binary(collection.uuid, Binary.SUBTYPE_UUID),
      nrecords,
      nIndexes: collection.indexes.length,
      keysPerIndex: byIndex((table) => Number(engine.database.get(`SELECT count(*) FROM ${table}`)?.[0])),
      indexDetails: byIndex((_, name) => ({ valid: !errors.some((error) => `${error} `.includes(` index ${name} `)) })),
      valid: errors.length === 0,
      repaired: false,
      readOnly: false,
      warnings: [],
      errors,
      ok: 1,
    };
  },
});
