import type { Db, Document } from 'mongodb';

const innerOf = (plan: Document): Document[] =>
  [plan['inputStage'], ...(plan['inputStages'] ?? [])].filter((one) => one !== undefined);

const stagesOf = (plan: Document): string[] => [plan['stage'], ...innerOf(plan).flatMap(stagesOf)];

const indexesOf = (plan: Document): string[] => [
  ...(plan['indexName'] === undefined ? [] : [plan['indexName']]),
  ...innerOf(plan).flatMap(indexesOf),
];

export interface Plan {
  /** Outermost first. */
  readonly stages: readonly string[];
  /** Each as its collection and its name. */
  readonly indexes: readonly string[];
}

/** The server's plan for a command. */
export async function planIn(db: Db, command: Document): Promise<Plan> {
  const { queryPlanner } = await db.command({ explain: command, verbosity: 'queryPlanner' });
  const { namespace, winningPlan } = queryPlanner;
  const collection = String(namespace).slice(db.databaseName.length + 1);
  return { stages: stagesOf(winningPlan), indexes: indexesOf(winningPlan).map((name) => `${collection} ${name}`) };
}
