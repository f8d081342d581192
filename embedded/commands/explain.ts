import { type Document, isObject } from '../bson/value.ts';
import { type Scope, scopeOf } from '../expression/expression.ts';
import { MongoFault } from '../fault.ts';
import { parsePipeline } from '../pipeline/pipeline.ts';
import { type IndexPlan, type Plan, planQuery } from '../plan/planner.ts';
import { eachRow, type Query } from '../plan/rows.ts';
import type { Compare } from '../query/compare.ts';
import type { Collection } from '../storage/collection.ts';
import type { Engine } from '../storage/engine.ts';
import { findAndModify } from './find-and-modify.ts';
import { aggregate, contextOf, isWrite } from './aggregate.ts';
import { distinct } from './distinct.ts';
import { count, find, queryOf } from './query.ts';
import { array, type Command, command, type Fields, GENERIC, given, object, type Request, text } from './request.ts';
import { DELETE, remove, update, UPDATE } from './write.ts';

interface Explained {
  query: Query;
  /** What is done with what the query finds, when it is not just given back. */
  stage?: string;
  /** Runs more than the query. */
  run?: () => Iterable<unknown>;
}
type Read = (fields: Document, request: Request, name: string) => Explained;

/** Which commands can be explained, and which query each runs. */
const EXPLAINED: Readonly<Record<string, [Command, Read]>> = {
  find: [find, (fields) => ({ query: queryOf(fields) })],
  count: [
    count,
    ({ query, limit, ...rest }) => ({
      query: queryOf({ ...rest, filter: query, limit: Math.abs(Number(limit ?? 0)) }),
      stage: 'COUNT',
    }),
  ],
  distinct: [distinct, ({ query, ...rest }) => ({ query: queryOf({ ...rest, filter: query }) })],
  findAndModify: [
    findAndModify,
    ({ query, remove: removing, ...rest }) => ({
      query: queryOf({ ...rest, filter: query, limit: 1 }),
      stage: removing ? 'DELETE' : 'UPDATE',
    }),
  ],
  aggregate: [
    aggregate,
    (fields, request, name) => {
      const stages = fields['pipeline'] as unknown[];
      const read = isWrite(fields) ? stages.slice(0, -1) : stages;
      const pipeline = parsePipeline(read, contextOf(request, fields), fields['hint']);
      return { query: pipeline.query, run: () => pipeline.open(name) };
    },
  ],
  update: [update, (fields) => ({ query: statement(fields, 'updates', UPDATE), stage: 'UPDATE' })],
  delete: [remove, (fields) => ({ query: statement(fields, 'deletes', DELETE), stage: 'DELETE' })],
};

function statement(explained: Document, field: string, fields: Fields): Query {
  const [first, ...more] = array(explained[field], field) ?? [];
  if (!isObject(first) || more.length > 0) throw new MongoFault(72, 'explained write batches must be of size 1');
  const { q: filter, multi, limit, sort, hint, collation }: Document = given(first, fields, field);
  return queryOf({
    filter,
    sort,
    hint,
    collation: collation as Compare | undefined,
    scope: explained['scope'] as Scope,
    limit: multi === true || limit === 0 ? 0 : 1,
  });
}

/** The plan and, above `queryPlanner`, what running its query costs. Nothing is changed, whatever is explained. */
export const explain = command({
  stable: true,
  fields: { verbosity: text },
  run: (request, { verbosity = 'allPlansExecution' }) => {
    const { engine, db, body } = request;
    const explained = object(body['explain'], 'explain.explain') ?? {};
    const [[name, target] = ['', ''], ...fields] = Object.entries(explained);
    const [inner, read] = (Object.hasOwn(EXPLAINED, name) ? EXPLAINED[name] : undefined) ?? [];
    if (!inner || !read) throw new MongoFault(59, `Explain failed due to unknown command: ${name}`);
    if (!VERBOSITIES.has(verbosity))
      throw new MongoFault(2, `Enumeration value '${verbosity}' for field 'explain.verbosity' is not a valid value.`);
    const own: Document = given(Object.fromEntries(fields), { ...GENERIC, ...inner.fields }, name);
    if (own['writeConcern']) throw new MongoFault(72, 'Command explain does not support writeConcern');
    const wanted = read({ ...own, scope: scopeOf(own['let']) }, request, String(target));
    const collection = engine.catalog.find(db, String(target));
    const plan = collection && planQuery(collection, wanted.query);
    const winningPlan = plan ? describe(plan, wanted.query) : { stage: 'EOF' };
    return {
      explainVersion: '1',
      queryPlanner: { namespace: `${db}.${String(target)}`, indexFilterSet: false, winningPlan, rejectedPlans: [] },
      ...(verbosity === 'queryPlanner' ? {} : { executionStats: execute(engine, collection, wanted, winningPlan) }),
      command: explained,
      serverInfo: { host: '127.0.0.1', version: '8.0.0' },
      ok: 1,
    };
  },
});

const VERBOSITIES = new Set(['queryPlanner', 'executionStats', 'allPlansExecution']);

function execute(
  engine: Engine,
  collection: Collection | undefined,
  { query, stage, run }: Explained,
  plan: Document,
): Document {
  const started = performance.now();
  const before = engine.database.ticks;
  let found = 0;
  for (const _ of run ? run() : collection ? eachRow(engine.database, collection, query) : []) found++;
  const examined = engine.database.ticks - before;
  const nReturned = stage === 'UPDATE' || stage === 'DELETE' ? 0 : found;
  const counted = { UPDATE: 'nMatched', DELETE: 'nWouldDelete', COUNT: 'nCounted' }[stage ?? ''];
  return {
    executionSuccess: true,
    nReturned,
    executionTimeMillis: Math.round(performance.now() - started),
    totalKeysExamined: usesIndex(plan) ? examined : 0,
    totalDocsExamined: examined,
    executionStages: counted ? { stage, nReturned, [counted]: found, inputStage: plan } : { ...plan, nReturned },
  };
}

function usesIndex(plan: Document): boolean {
  return (
    'indexName' in plan || 'inputStages' in plan || (isObject(plan['inputStage']) && usesIndex(plan['inputStage']))
  );
}
function describe(plan: Plan, { sort }: Query): Document {
  const access = describeAccess(plan);
  if (plan.sorted) return access;
  return {
    stage: 'SORT',
    sortPattern: Object.fromEntries(sort.map((field) => [field.path, field.descending ? -1 : 1])),
    inputStage: access,
  };
}

function describeAccess(plan: Plan): Document {
  if (plan.kind === 'collection') return { stage: 'COLLSCAN', direction: plan.backward ? 'backward' : 'forward' };
  if (plan.kind === 'union')
    return { stage: 'FETCH', inputStage: { stage: 'OR', inputStages: plan.plans.map(describeIndex) } };
  const { index, score, walks } = plan;
  if (index.isId && score >= 1000 && walks[0]?.ranges.length === 1)
    return { stage: 'IDHACK', indexName: index.name, keyPattern: index.spec.key };
  if (walks.length > 1)
    return { stage: 'FETCH', inputStage: { stage: 'SORT_MERGE', inputStages: walks.map(() => describeIndex(plan)) } };
  return { stage: 'FETCH', inputStage: describeIndex(plan) };
}

function describeIndex({ index, backward }: IndexPlan): Document {
  return {
    stage: 'IXSCAN',
    keyPattern: index.spec.key,
    indexName: index.name,
    isMultiKey: index.multikey !== 0,
    isUnique: index.unique,
    isSparse: index.sparse,
    isPartial: index.partial !== undefined,
    direction: backward ? 'backward' : 'forward',
  };
}
