import { type Document, isNumeric, isObject, kindOf } from '../bson/value.ts';
import { scopeOf } from '../expression/expression.ts';
import { CommandError } from '../errors.ts';
import type { Context } from '../pipeline/context.ts';
import { resultsOf, DATABASE_STAGES, parsePipeline } from '../pipeline/pipeline.ts';
import { stageEntries } from '../pipeline/stages.ts';
import type { Compare } from '../query/compare.ts';
import { FIRST_BATCH } from './query.ts';
import * as field from './fields.ts';
import { collectionName, command, namespaceOf, type Request } from './request.ts';

/** Stages that API version 1 does not include. */
const UNSTABLE = /^\$(?:listLocalSessions|search|vectorSearch|listSearchIndexes)$/;

export const aggregate = command({
  write: isWrite,
  fields: {
    pipeline: field.needed(field.array),
    cursor: field.cursor,
    let: field.object,
    ...field.QUERY_OPTIONS,
    // There are no validators to bypass.
    ...field.all(field.flag, 'allowDiskUse', 'bypassDocumentValidation'),
    ...field.without('explain', 'exchange'),
  },
  run: (request, given) => {
    const { body, engine, db } = request;
    if (!given.cursor)
      throw new CommandError(9, "The 'cursor' option is required, except for aggregate with the explain argument");
    if (isWrite(body) && given.readConcern?.['level'] === 'linearizable')
      throw new CommandError(72, "$out and $merge cannot be used with a 'linearizable' read concern level");
    const stages = stageEntries(given.pipeline).map(([name]) => name);
    const unstable = stages.find((name) => UNSTABLE.test(name));
    if (unstable && given.apiStrict)
      throw new CommandError(323, `stage ${unstable} is not allowed with 'apiStrict: true' in API Version 1`);
    const context = contextOf(request, given);
    const pipeline = parsePipeline(given.pipeline, context, given.hint);
    const whole = isNumeric(kindOf(body['aggregate']));
    if (whole && Number(body['aggregate']) !== 1)
      throw new CommandError(9, "Invalid command format: the 'aggregate' field must specify a collection name or 1");
    const [head = ''] = stages;
    if (whole !== DATABASE_STAGES.includes(head))
      throw new CommandError(73, `'${head}' can only be run with ${whole ? 'a collection' : '{aggregate: 1}'}`);
    return engine.cursors.first(
      whole ? `${db}.$cmd.aggregate` : namespaceOf(request),
      resultsOf(pipeline.open(whole ? '' : collectionName(request)), context),
      given.cursor.batchSize ?? FIRST_BATCH,
    );
  },
});

export function isWrite({ pipeline }: Document): boolean {
  const last: unknown = Array.isArray(pipeline) ? pipeline.at(-1) : undefined;
  return isObject(last) && ('$out' in last || '$merge' in last);
}

/** Creates the state that the stages of an aggregate command, or of an explained one, share. */
export function contextOf({ engine, db, body }: Request, given: Document): Context {
  return {
    engine,
    db,
    scope: scopeOf(given['let']),
    collation: given['collation'] as Compare | undefined,
    reading: new Set(),
    session: body['lsid'],
    parse: parsePipeline,
  };
}
