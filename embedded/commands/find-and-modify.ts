import { decode } from '../bson/decode.ts';
import { type Document, Kind, Raw } from '../bson/value.ts';
import { scopeOf } from '../expression/expression.ts';
import { MongoFault } from '../fault.ts';
import { eachRow } from '../plan/rows.ts';
import { parseProjection, projectBytes } from '../query/project.ts';
import { checkCollatedShape } from '../query/collation.ts';
import { parseFilter } from '../query/filter.ts';
import { queryOf } from './query.ts';
import { anything, collectionName, collectionOf, command, flag, object } from './request.ts';
import { runUpdate, UPDATE_OPTIONS } from './write.ts';

export const findAndModify = command({
  write: true,
  retryable: true,
  stable: true,
  fields: {
    query: object,
    update: anything,
    remove: flag,
    new: flag,
    fields: object,
    let: object,
    bypassDocumentValidation: flag,
    ...UPDATE_OPTIONS,
  },
  run: (request, { query = {}, update, remove = false, new: wantsNew = false, fields = {}, ...options }) => {
    const { sort, hint, upsert = false, arrayFilters, collation } = options;
    if (remove && update !== undefined) throw refused("both an 'update' and 'remove'=true");
    if (!remove && update === undefined) throw new MongoFault(9, 'Either an update or remove=true must be specified');
    if (remove && upsert) throw refused("'upsert' and 'remove'=true");
    if (remove && wantsNew) {
      throw refused("'new'=true and 'remove'=true; 'remove' always returns the deleted document");
    }
    if (remove && arrayFilters) throw refused("'arrayFilters' and 'remove'=true");
    const scope = scopeOf(options.let);
    const projection = parseProjection(fields, parseFilter(query, scope, collation), scope);
    if (collation) checkCollatedShape(fields);
    if (wantsNew && projection?.positional) throw refused('a positional projection and return the new document');
    const shown = (bytes: Uint8Array | undefined): Raw | null =>
      bytes ? new Raw(Kind.object, projection ? projectBytes(bytes, projection) : bytes) : null;
    if (remove) {
      const collection = collectionOf(request);
      const wanted = queryOf({ filter: query, sort, limit: 1, hint, scope, collation });
      const [row] = collection ? eachRow(request.engine.database, collection, wanted) : [];
      if (row) collection?.remove(row.id, decode(row.bytes));
      return { lastErrorObject: { n: row ? 1 : 0 }, value: shown(row?.bytes), ok: 1 };
    }
    const namespace = [request.db, collectionName(request)] as const;
    const outcome = runUpdate(request, namespace, { filter: query, change: update, scope, ...options });
    const { matched, upserted, before, after } = outcome;
    const lastErrorObject: Document = { n: upserted ? 1 : matched, updatedExisting: matched > 0 };
    if (upserted) lastErrorObject['upserted'] = upserted['_id'];
    return { lastErrorObject, value: shown(wantsNew ? after : before), ok: 1 };
  },
});

function refused(what: string): MongoFault {
  return new MongoFault(9, `Cannot specify ${what}`);
}
