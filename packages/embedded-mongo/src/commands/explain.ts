import { type Document, isObject } from '../bson/value.ts';
import { type Scope, scopeOf } from '../expression/expression.ts';
import { CommandError } from '../errors.ts';
import { parsePipeline } from '../pipeline/pipeline.ts';
import { type IndexPlan, type Plan, planQuery } from '../plan/planner.ts';
import { eachRow, type Query } from '../plan/rows.ts';
import { aggregate, contextOf, isWrite } from './aggregate.ts';
import { distinct } from './distinct.ts';
import * as field from './fields.ts';
import { count, find, queryOf } from './query.ts';
import { type Command, command, type Request } from './request.ts';
import { DELETE, findAndModify, remove, update, UPDATE } from './write.ts';

interface Explained {
  query: Query;
  /** Runs more than the query. */
  run?: () => Iterable<unknown>;
}
type Read = (fields: Document, request: Request, name: string) => Explained;

const reading: Read = ({ query = {}, filter = query, limit = 0, ...rest }) => ({
  query: queryOf({ ...rest, filter, limit: Math.abs(Number(limit)) }),
});

/** Commands that can be explained: the query each runs, and the stage that consumes its rows. */
const EXPLAINED: Readonly<Record<string, [Command, Read, stage?: string]>> = {
  find: [find, reading],
  distinct: [distinct, reading],
  count: [count, reading, 'COUNT'],
  findAndModify: [findAndModify, (fields, ...more) => reading({ ...fields, limit: 1 }, ...more), 'UPDATE'],
  update: [update, ({ updates, scope }) => statement(updates, UPDATE, scope as Scope), 'UPDATE'],
  delete: [remove, ({ deletes, scope }) => statement(deletes, DELETE, scope as Scope), 'DELETE'],
  aggregate: [
    aggregate,
    (fields, request, name) => {
      const stages = fields['pipeline'] as unknown[];
      const read = isWrite(fields) ? stages.slice(0, -1) : stages;
      const pipeline = parsePipeline(read, contextOf(request, fields), fields['hint']);
      return { query: pipeline.query, run: () => pipeline.open(name) };
    },
  ],
};

function statement(statements: unknown, fields: field.Fields, scope: Scope): Explained {
  const [first, ...more] = field.array(statements, 'explain') ?? [];
  if (!isObject(first) || more.length > 0) throw new CommandError(72, 'explained write batches must be of size 1');
  const { q: filter, multi, limit, ...rest }: Document = field.given(first, fields, 'explain');
  return { query: queryOf({ ...rest, filter, scope, limit: multi === true || limit === 0 ? 0 : 1 }) };
}

const COUNTED: Readonly<Record<string, string>> = { UPDATE: 'nMatched', DELETE: 'nWouldDelete', COUNT: 'nCounted' };
const VERBOSITIES = new Set(['queryPlanner', 'executionStats', 'allPlansExecution']);

/** The plan and, above `queryPlanner`, what running its query costs. Nothing is changed, whatever is explained. */
export const explain = command({
  fields: { verbosity: field.text },
  run: (request, { verbosity = 'allPlansExecution' }) => {
    const { engine, db, body } = request;
    const explained = field.object(body['explain'], 'explain.explain') ?? {};
    const [name = ''] = Object.keys(explained);
    const target = String(explained[name]);
    const [inner, read, usual = ''] = (Object.hasOwn(EXPLAINED, name) ? EXPLAINED[name] : undefined) ?? [];
    if (!inner || !read) throw new CommandError(59, `Explain failed due to unknown command: ${name}`);
    if (!VERBOSITIES.has(verbosity))
      throw new CommandError(2, `Enumeration value '${verbosity}' for field 'explain.verbosity' is not a valid value.`);
    const own: Document = field.given(explained, inner.fields, name, name);
    if (own['writeConcern']) throw new CommandError(72, 'Command explain does not support writeConcern');
    const { query, run } = read({ ...own, scope: scopeOf(own['let']) }, request, target);
    const collection = engine.catalog.find(db, target);
    const plan = collection && planQuery(collection, query);
    const winningPlan = plan ? describe(plan, query) : { stage: 'EOF' };
    const reply: Document = {
      explainVersion: '1',
      queryPlanner: { namespace: `${db}.${target}`, indexFilterSet: false, winningPlan, rejectedPlans: [] },
      command: explained,
      serverInfo: { host: '127.0.0.1', version: '8.0.0' },
      ok: 1,
    };
    if (verbosity === 'queryPlanner') return reply;
    const started = performance.now();
    const before = engine.database.ticks;
    let found = 0;
    for (const _ of run ? run() : collection ? eachRow(engine.database, collection, query) : []) found++;
    const examined = engine.database.ticks - before;
    const stage = own['remove'] ? 'DELETE' : usual;
    const nReturned = stage === 'UPDATE' || stage === 'DELETE' ? 0 : found;
    const counted = COUNTED[stage];
    reply['executionStats'] = {
      executionSuccess: true,
      nReturned,
      executionTimeMillis: Math.round(performance.now() - started),
      totalKeysExamined: plan?.kind === 'collection' ? 0 : examined,
      totalDocsExamined: examined,
      executionStages: counted ? { stage, nReturned, [counted]: found, inputStage: winningPlan } : winningPlan,
    };
    return reply;
  },
});

function describe(plan: Plan, { sort }: Query): Document {
  if (plan.sorted) return describeAccess(plan);
  const sortPattern = Object.fromEntries(sort.map((order) => [order.path, order.descending ? -1 : 1]));
  return { stage: 'SORT', sortPattern, inputStage: describeAccess(plan) };
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
