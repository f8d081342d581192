import { decodeOnly } from '../bson/decode.ts';
import { type Document, fieldsOf, isNumeric, isObject, kindOf, numeric } from '../bson/value.ts';
import { type Item } from '../expression/expression.ts';
import { valueKey } from '../expression/value-key.ts';
import { MongoFault } from '../fault.ts';
import { compare } from '../query/compare.ts';
import { compareKeys } from '../query/sort.ts';
import { type Context, type Pipeline, stageEntry, stageFields, stageObject, storedItem } from './context.ts';
import { parseOrder } from './sort.ts';

const NAME: ReadonlySet<string> = new Set(['_id']);
const RANK_CONSTANT = 60;
const RANKING = ['$search', '$vectorSearch'];
const SELECTING = new Set([...RANKING, '$match', '$sort', '$skip', '$limit', '$sample']);
const MUST_RANK =
  'All subpipelines to the $rankFusion stage must begin with one of $search, $vectorSearch, $geoNear, or have a custom $sort in the pipeline.';
const DESCRIPTION =
  'value output by reciprocal rank fusion algorithm, computed as sum of (weight * (1 / (60 + rank))) across input pipelines from which this document is output, from:';

interface Input {
  name: string;
  weight: number;
  pipeline: Pipeline;
  /** Whether two neighbours in the pipeline's order share their rank. */
  ties: (a: Item, b: Item) => boolean;
}

interface Fused {
  id: unknown;
  item: Item;
  score: number;
  ranks: Map<Input, { rank: number; value: unknown }>;
}

/** Joins the rankings of several pipelines over one collection: each adds weight / (60 + rank) to a document's score. */
export function rankFusion(spec: unknown, context: Context): (collection: string) => Iterable<Item> {
  const given = stageFields('$rankFusion', spec, 'input combination? scoreDetails?');
  const { pipelines } = stageFields('$rankFusion.input', given['input'], 'pipelines');
  const combination = stageFields('$rankFusion.combination', given['combination'] ?? {}, 'weights?');
  const { scoreDetails = false } = given;
  if (typeof scoreDetails !== 'boolean')
    throw new MongoFault(14, "BSON field '$rankFusion.scoreDetails' is the wrong type, expected type 'bool'");
  const named = fieldsOf(stageObject('$rankFusion.input.pipelines', pipelines)).toSorted(([a], [b]) => compare(a, b));
  if (named.length === 0) throw new MongoFault(9, '$rankFusion needs at least one input pipeline');
  const weights = weightsOf(combination['weights'], named);
  const inputs = named.map(([name, pipeline]) => ({
    name,
    weight: weights.get(name) ?? 1,
    ...parseInput(name, pipeline, context),
  }));
  return function* (collection) {
    const fused = new Map<string, Fused>();
    for (const input of inputs) collect(input, collection, fused);
    const best = [...fused.values()].toSorted((a, b) => b.score - a.score || compare(a.id, b.id));
    for (const { item, score, ranks } of best) {
      const meta: Document = { score, ...(scoreDetails ? { scoreDetails: detailsOf(inputs, score, ranks) } : {}) };
      yield item.bytes ? storedItem(item.bytes, meta) : { doc: item.doc, meta };
    }
  };
}

function parseInput(name: string, given: unknown, context: Context): Pick<Input, 'pipeline' | 'ties'> {
  if (name === '' || name.startsWith('$') || name.includes('.'))
    throw new MongoFault(16410, `$rankFusion pipeline names must be valid field names: '${name}'`);
  if (!Array.isArray(given)) throw new MongoFault(14, `A pipeline of $rankFusion must be an array: ${name}`);
  const entries = given.map(stageEntry);
  if (entries.length === 0) throw new MongoFault(9834300, `$rankFusion input pipeline cannot be empty. ${MUST_RANK}`);
  const names = entries.map(([stage]) => stage);
  if (names.some((stage) => stage === '$rankFusion' || stage === '$scoreFusion'))
    throw new MongoFault(10473002, `$rankFusion input pipeline has a nested hybrid search stage. ${MUST_RANK}`);
  const sort = entries.findLast(([stage]) => stage === '$sort');
  if (!sort && !RANKING.includes(names[0] ?? ''))
    throw new MongoFault(9191100, `Pipeline began with no ranked stage and has no explicit $sort. ${MUST_RANK}`);
  const changing = names.find((stage) => !SELECTING.has(stage));
  const pipeline = context.parse(given, context);
  if (changing)
    throw new MongoFault(
      9191103,
      `${changing} is not allowed in a $rankFusion subpipeline: only stages that retrieve, limit, or order documents`,
    );
  const order = sort && parseOrder(sort[1], context.scope);
  const ties = order
    ? (a: Item, b: Item) => compareKeys(order.key(a), order.key(b), order.fields) === 0
    : (a: Item, b: Item) => a.meta?.['score'] === b.meta?.['score'];
  return { pipeline, ties };
}

function weightsOf(given: unknown, pipelines: readonly [string, unknown][]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const [name, weight] of fieldsOf(isObject(given) ? given : {})) {
    if (!pipelines.some(([known]) => known === name))
      throw new MongoFault(9967500, `A weight of $rankFusion is for no pipeline: '${name}'`);
    const number = isNumeric(kindOf(weight)) ? Number(numeric(weight)) : NaN;
    if (Number.isNaN(number)) throw new MongoFault(13118, `The weight of '${name}' must be a number`);
    if (number < 0)
      throw new MongoFault(9460300, `Rank fusion pipeline weight must be non-negative, but is ${number} for '${name}'`);
    weights.set(name, number);
  }
  return weights;
}

function collect(input: Input, collection: string, fused: Map<string, Fused>): void {
  let [rank, place] = [0, 0];
  let before: Item | undefined;
  for (const item of input.pipeline.open(collection)) {
    place++;
    if (!before || !input.ties(before, item)) rank = place;
    before = item;
    // Beside a document's name there may be vectors, which need no parsing here.
    const { _id: id } = item.bytes ? decodeOnly(item.bytes, NAME) : item.doc;
    const key = valueKey(id);
    const found = fused.get(key) ?? { id, item, score: 0, ranks: new Map() };
    fused.set(key, found);
    found.score += (1 / (rank + RANK_CONSTANT)) * input.weight;
    found.ranks.set(input, { rank, value: item.meta?.['score'] });
  }
}

function detailsOf(inputs: readonly Input[], value: number, ranks: Fused['ranks']): Document {
  const details = inputs.map((input) => {
    const { name: inputPipelineName, weight } = input;
    const found = ranks.get(input);
    if (!found) return { inputPipelineName, rank: 'NA', weight };
    const scored = found.value === undefined ? {} : { value: found.value };
    return { inputPipelineName, rank: found.rank, weight, ...scored, details: [] };
  });
  return { value, description: DESCRIPTION, details };
}
