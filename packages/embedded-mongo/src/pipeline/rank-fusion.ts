import { decodeOnly } from '../bson/decode.ts';
import { type Document, fieldsOf, isNumeric, kindOf, numeric } from '../bson/value.ts';
import type { Item } from '../expression/expression.ts';
import { valueKey } from '../expression/operator.ts';
import { MongoFault, notImplemented } from '../fault.ts';
import { compare } from '../query/compare.ts';
import { compareKeys } from '../query/sort.ts';
import { type Context, stageEntry, stageFields, stageObject, storedItem } from './context.ts';
import { parseOrder } from './sort.ts';

const NAME: ReadonlySet<string> = new Set(['_id']);
const RANK_CONSTANT = 60;
const RANKING = ['$search', '$vectorSearch'];
const SELECTING = new Set([...RANKING, '$match', '$sort', '$skip', '$limit', '$sample']);

/** The documents of a pipeline, each with its rank: as a rule its place, but what the order holds equal shares one. */
type Ranking = (collection: string) => Iterable<{ item: Item; rank: number }>;

/** Joins the rankings of several pipelines over one collection: each adds weight / (60 + rank) to a document's score. */
export function rankFusion(spec: unknown, context: Context): (collection: string) => Iterable<Item> {
  const given = stageFields('$rankFusion', spec, 'input combination? scoreDetails?');
  const { pipelines } = stageFields('$rankFusion.input', given['input'], 'pipelines');
  const combination = stageFields('$rankFusion.combination', given['combination'] ?? {}, 'weights?');
  const { scoreDetails = false } = given;
  if (typeof scoreDetails !== 'boolean')
    throw new MongoFault(14, "BSON field '$rankFusion.scoreDetails' is the wrong type, expected type 'bool'");
  if (scoreDetails) throw notImplemented('$rankFusion with scoreDetails');
  const rankings = new Map(
    fieldsOf(stageObject('$rankFusion.input.pipelines', pipelines)).map(([name, pipeline]) => [
      name,
      parseInput(name, pipeline, context),
    ]),
  );
  if (rankings.size === 0) throw new MongoFault(9, '$rankFusion needs at least one input pipeline');
  const weights = weightsOf(stageObject('$rankFusion.combination.weights', combination['weights'] ?? {}), rankings);
  return function* (collection) {
    const fused = new Map<string, { id: unknown; item: Item; score: number }>();
    for (const [name, ranking] of [...rankings].toSorted(([a], [b]) => compare(a, b))) {
      for (const { item, rank } of ranking(collection)) {
        // Beside a document's name there may be vectors, which need no parsing here.
        const { _id: id } = item.bytes ? decodeOnly(item.bytes, NAME) : item.doc;
        const key = valueKey(id);
        const found = fused.get(key) ?? { id, item, score: 0 };
        fused.set(key, found);
        found.score += (1 / (rank + RANK_CONSTANT)) * (weights.get(name) ?? 1);
      }
    }
    for (const { item, score } of [...fused.values()].toSorted((a, b) => b.score - a.score || compare(a.id, b.id)))
      yield item.bytes ? storedItem(item.bytes, { score }) : { doc: item.doc, meta: { score } };
  };
}

function parseInput(name: string, given: unknown, context: Context): Ranking {
  if (name === '' || name.startsWith('$') || name.includes('.'))
    throw new MongoFault(16410, `$rankFusion pipeline names must be valid field names: '${name}'`);
  if (!Array.isArray(given)) throw new MongoFault(14, `A pipeline of $rankFusion must be an array: ${name}`);
  const entries = given.map(stageEntry);
  const [head] = entries;
  if (!head) throw new MongoFault(9834300, `$rankFusion input pipeline cannot be empty: ${name}`);
  if (entries.some(([stage]) => stage === '$rankFusion' || stage === '$scoreFusion'))
    throw new MongoFault(10473002, `$rankFusion input pipeline has a nested hybrid search stage: ${name}`);
  const sort = entries.findLast(([stage]) => stage === '$sort');
  if (!sort && !RANKING.includes(head[0]))
    throw new MongoFault(9191100, `$rankFusion input pipeline has no $search, $vectorSearch or $sort: ${name}`);
  const pipeline = context.parse(given, context);
  const changing = entries.find(([stage]) => !SELECTING.has(stage));
  if (changing)
    throw new MongoFault(
      9191103,
      `${changing[0]} is not allowed in $rankFusion: its pipelines only find, limit and sort`,
    );
  const { fields, key } = sort
    ? parseOrder(sort[1], context.scope, context.collation)
    : { fields: [SCORE], key: ({ meta }: Item) => [meta?.['score']] };
  return function* (collection) {
    let [rank, place] = [0, 0];
    let before: unknown[] | undefined;
    for (const item of pipeline.open(collection)) {
      const own = key(item);
      place++;
      if (!before || compareKeys(before, own, fields) !== 0) rank = place;
      before = own;
      yield { item, rank };
    }
  };
}

const SCORE = { path: 'score', parts: ['score'], descending: true };

function weightsOf(given: Document, rankings: ReadonlyMap<string, Ranking>): Map<string, number> {
  const weights = fieldsOf(given).map(([name, weight]): [string, number] => {
    if (!rankings.has(name)) throw new MongoFault(9967500, `A weight of $rankFusion is for no pipeline: '${name}'`);
    const number = isNumeric(kindOf(weight)) ? Number(numeric(weight)) : NaN;
    if (Number.isNaN(number)) throw new MongoFault(13118, `The weight of '${name}' must be a number`);
    if (number < 0) throw new MongoFault(9460300, `The weight of '${name}' must be non-negative, but is ${number}`);
    return [name, number];
  });
  return new Map(weights);
}
