import { type Document, isObject } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { parsePipeline } from '../pipeline/pipeline.ts';
import { type IndexPlan, type Plan, planQuery } from '../plan/planner.ts';
import type { Query } from '../plan/rows.ts';
import { queryOf } from './query.ts';
import type { Command, Request } from './request.ts';

/** Which filter and sort each command plans by. */
const QUERIES: Readonly<Record<string, (command: Document) => Query>> = {
  find: queryOf,
  count: (command) => queryOf({ ...command, filter: command['query'], sort: undefined }),
  distinct: (command) => queryOf({ filter: command['query'], hint: command['hint'] }),
  findAndModify: (command) =>
    queryOf({ filter: command['query'], sort: command['sort'], limit: 1, hint: command['hint'] }),
  aggregate: (command) => parsePipeline(command['pipeline'], command['hint']).query,
  update: (command) => statement(command['updates']),
  delete: (command) => statement(command['deletes']),
};

function statement(statements: unknown): Query {
  const [first] = (Array.isArray(statements) ? statements : []) as unknown[];
  if (!isObject(first)) throw new MongoFault(9, 'explain needs one statement');
  return queryOf({ filter: first['q'], sort: first['sort'], hint: first['hint'] });
}

/** The plan only; nothing is run, so verbosities above queryPlanner are refused. */
export const explain: Command = {
  fields: ['verbosity'],
  run: (request) => {
    const { body, engine, db } = request;
    const command = body['explain'];
    const name = isObject(command) ? (Object.keys(command)[0] ?? '') : '';
    const query = Object.hasOwn(QUERIES, name) ? QUERIES[name] : undefined;
    if (!isObject(command) || !query) throw new MongoFault(59, `Explain failed due to unknown command: ${name}`);
    const verbosity = body['verbosity'] ?? 'queryPlanner';
    if (verbosity !== 'queryPlanner')
      throw new MongoFault(
        238,
        `explain verbosity '${JSON.stringify(verbosity)}' is not supported by the embedded engine, use 'queryPlanner'`,
      );
    const collection = engine.catalog.find(db, String(command[name]));
    const wanted = query(command);
    const plan = collection && planQuery(collection, { ...wanted, limited: wanted.limit > 0 });
    return reply(request, `${db}.${String(command[name])}`, plan ? describe(plan, wanted) : { stage: 'EOF' });
  },
};

function reply(request: Request, namespace: string, winningPlan: Document): Document {
  return {
    explainVersion: '1',
    queryPlanner: { namespace, indexFilterSet: false, winningPlan, rejectedPlans: [] },
    command: request.body['explain'],
    serverInfo: { host: '127.0.0.1', version: '8.0.0' },
    ok: 1,
  };
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
  const { index, score, ranges } = plan;
  if (index.isId && score >= 1000 && ranges.length === 1)
    return { stage: 'IDHACK', indexName: index.name, keyPattern: index.spec.key };
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
