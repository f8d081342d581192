import { encode, isObject } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { openPipeline, parsePipeline } from '../pipeline/pipeline.ts';
import { answersOf } from '../plan/cursors.ts';
import { namespaceOf } from './query.ts';
import { type Command, collectionOf, countOf, objectOf } from './request.ts';
import { describeSearchIndexes } from './search-indexes.ts';

export const aggregate: Command = {
  fields: ['pipeline', 'cursor', 'hint', 'allowDiskUse', 'bypassDocumentValidation'],
  run: (request) => {
    const { body, engine } = request;
    const cursor = body['cursor'];
    if (!isObject(cursor))
      throw new MongoFault(9, "The 'cursor' option is required, except for aggregate with the explain argument");
    const batchSize = countOf(objectOf(cursor, 'cursor')['batchSize'], 'aggregate.cursor.batchSize', 101);
    const collection = collectionOf(request);
    const [first] = (Array.isArray(body['pipeline']) ? body['pipeline'] : []) as unknown[];
    if (isObject(first) && '$listSearchIndexes' in first) {
      const listed = answersOf(describeSearchIndexes(collection, first['$listSearchIndexes']).map(encode));
      return engine.cursors.first(namespaceOf(request), listed, batchSize, false);
    }
    const pipeline = parsePipeline(body['pipeline'], body['hint']);
    return engine.cursors.first(
      namespaceOf(request),
      openPipeline(engine.database, collection, pipeline),
      batchSize,
      false,
    );
  },
};
